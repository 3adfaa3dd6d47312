// Which abstract schedule an execution is to follow: what reads-from-guided fuzzing does between
// executions (Wolff, Shi, Duck, Mathur, Roychoudhury, "Greybox Fuzzing for Concurrency Testing",
// ASPLOS 2024).
//
// Schedules that showed something new are kept, and changed: a constraint is added, taken away,
// exchanged or negated. Kept schedules whose executions ended in what was seen least get most.
//
// Deviations. Pairs that could come about and were never seen are tried first, each for itself,
// because most bugs need one such pair; then those that were seen. The paper leaves both to chance.
// A pair that was asked for several times and never came about is forgotten. The power schedule is
// exact where the paper's is an exponential with a limit: it takes the kept schedule with the
// smallest product of how often it was taken and how often its end was seen.
//
// Everything here depends on the seed and on the calls alone.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/campaign/feedback/abstract_schedule.hpp"
#include "protocol/generator.hpp"

namespace raddle {

class ReadsFromSchedules {
 public:
  // So often a pair is asked for that never comes about.
  static constexpr unsigned kTries = 3;

  explicit ReadsFromSchedules(std::uint64_t seed) : generator_(seed) {}

  AbstractSchedule next();

  // An execution showed this; `schedule` is what it was to follow, empty if nothing. Returns how
  // much of it was new.
  std::size_t ended(const AbstractSchedule& schedule, const Observation& shown);

  // For the plan.
  std::vector<AimSite> aims_of(const AbstractSchedule& schedule) const;

  std::size_t known_pairs() const { return order_.size(); }
  std::size_t seen_pairs() const { return seen_pairs_; }

 private:
  struct Pair {
    bool seen = false;
    bool tried_alone = false;
    unsigned tried = 0;  // executions that were to show it, and did not, until one does
    bool forgotten() const { return !seen && tried >= kTries; }
  };
  struct Kept {
    AbstractSchedule schedule;
    std::uint64_t end = 0;  // hash of what its execution showed of reads
    std::uint64_t taken = 0;
  };

  void learn_places(const UsedBy& used);
  const ReadsFrom* untried();
  const Kept& least_seen();  // there is one
  void change(AbstractSchedule& schedule);
  const ReadsFrom* any_pair();

  Generator generator_;
  std::uint64_t turns_ = 0;
  std::map<ReadsFrom, Pair> pairs_;  // that may come about
  std::vector<ReadsFrom> order_;     // the same, as they became known
  std::size_t seen_pairs_ = 0;
  std::map<std::uint64_t, std::set<std::uint64_t>> rivals_;  // by place of a read
  std::unordered_set<std::uint64_t> seen_;
  std::unordered_map<std::uint64_t, std::uint64_t> ends_;  // how often each was seen
  std::vector<Kept> kept_;
};

}  // namespace raddle
