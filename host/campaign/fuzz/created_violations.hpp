// The violations of atomicity that the executions of a campaign create: which static violations
// there are, and what became of each. Nobody predicted them, so they are found as they come.
//
// The detector looks at an execution if the strategy marks a set of static violations in it that no
// earlier execution had (protocol/atom_marks.hpp); of the others it is known what they show. So one
// that comes often does not hide a rare one, however rare. A campaign that observes looks at all.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/fuzz/fuzz.hpp"

namespace raddle {

class CreatedViolations {
 public:
  // `observes`: all executions are looked at.
  explicit CreatedViolations(bool observes) : observes_(observes) {}

  struct Look {
    bool looked = false;
    ViolationsSeen seen;
  };
  // Called by several threads.
  Result<Look> look(Worker& worker, const Execution& execution, const RunOptions& options) const;

  // An execution ended; in the order of seeds.
  void count(const Execution& execution, Look look);

  std::uint64_t violating() const { return violating_; }
  AtomicityCounts counts() const;
  std::vector<CandidateTally> take();

 private:
  static constexpr std::size_t kMostMarks = 2'000;  // sets of static violations that are told apart
  using Mark = std::pair<std::uint64_t, std::uint64_t>;
  static Mark mark_of(const Execution& execution);
  std::vector<std::size_t> add(const Execution& execution, ViolationsSeen seen);

  const bool observes_;
  mutable std::mutex mutex_;
  std::map<Mark, std::vector<std::size_t>> marks_;  // guarded by mutex_ -> indices of violations_
  std::vector<CandidateTally> violations_;
  std::map<std::uint64_t, std::size_t> places_;  // Finding::place -> index of violations_
  std::set<std::uint64_t> warned_;
  std::uint64_t executions_ = 0, looked_ = 0, violating_ = 0;
  CandidateTally unconfirmed_;  // what the strategy alone says
};

}  // namespace raddle
