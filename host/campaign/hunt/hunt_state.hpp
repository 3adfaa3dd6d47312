// What the phases of a hunt share: its clock, its plans, and the result that they all add to.
// Used by one thread at a time: that of hunt(), or a worker's that holds the search's lock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "host/campaign/feedback/feedback.hpp"
#include "host/campaign/hunt/circumstances.hpp"
#include "host/campaign/hunt/hunt.hpp"
#include "protocol/strategies.hpp"

namespace raddle {

class HuntState {
 public:
  HuntState(const Workers& by, const HuntOptions& wanted, Symbolizer& names,
            const HuntWatcher& told);

  // ---- Time ----
  bool stopped() const { return options.stop != nullptr && options.stop->load(); }
  double elapsed() const { return seconds_since(begin); }
  double budget() const { return std::chrono::duration<double>(options.budget).count(); }
  // Of the next execution: none outlives the budget by much.
  Clock::duration time_limit() const;
  // When so much of the hunt is over.
  Clock::time_point at(double seconds) const {
    return begin +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  // The hunt's time, or that of a phase that has so many seconds, was over, not the execution's
  // own.
  bool is_cut_off(const Execution& execution, double end) const;

  // ---- Executions ----
  RunOptions running(const AimList& aims) const;
  // With the next seed.
  Plan plan_for(const StrategyEntry& strategy);
  // Of an execution in steps, as far as is known.
  std::uint64_t expected_length() const;

  // An execution came to its end; `candidate` is what it had in view. Whether its schedule is new.
  // A redundant one was left on the way, and has none.
  bool count(Execution& execution, const HuntFinding* candidate = nullptr, bool redundant = false);
  // One that a circumstance was allowed in: its schedule is none that a machine in no hurry has,
  // and where it had no end that says nothing of the program.
  void count_circumstance(Execution& execution);
  // One that says nothing of the program's schedules: it was there.
  void add_counts(const Execution& execution);
  // It failed; after count(). Whether it is the first of its kind.
  bool add_failing(Execution execution);
  // One of them takes nothing that hardly ever happens (is_rare()): there is something to tell.
  bool has_telling_failure() const;
  // How far a phase is. A share of 1 ends it, and the next one begins.
  void note_progress(HuntCounts& counts, HuntPhase phase, std::uint64_t executions,
                     std::uint64_t candidates, double share);
  double phase_seconds() const { return seconds_since(phase_begin_); }

  const Workers& workers;
  const HuntOptions& options;
  Symbolizer& symbols;
  const HuntWatcher& watcher;
  const Clock::time_point begin = Clock::now();

  HuntResult result;
  FailureGroups groups;
  AimList racing;               // accesses that are decision points in every execution
  std::vector<Candidate> uses;  // that could come after a free: see Candidates::uses()
  Feedback feedback;            // of all executions, in the order of plans
  CircumstanceTurns circumstances;
  std::uint64_t seed;
  std::optional<std::string> error;  // executions could not be started

 private:
  static double seconds_since(Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  }
  void note_inconclusive(const Execution& execution);
  bool reached_our_limit(const Execution& execution) const;

  Clock::time_point phase_begin_ = begin;
  std::unordered_set<std::uint64_t> schedules_;
};

// Seconds, of an execution at the end of the budget.
inline constexpr double kLeastTime = 0.25;

}  // namespace raddle
