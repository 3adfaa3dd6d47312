// From one recorded execution to what other executions show: the causal model names the schedules
// (host/explore/causal/prediction.hpp), the program executes each, and a detector looks at a step
// by step replay of it. Only what a detector, or the end of the execution, confirms is reported.
//
// Called by `raddle predict` and `raddle check`, on their own thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/confirm/candidates.hpp"
#include "host/campaign/confirm/confirm.hpp"
#include "host/causal/question.hpp"
#include "host/explore/causal_problem.hpp"
#include "host/process/worker.hpp"

namespace raddle {

// What one query may take where others wait for the answer: a second or so.
inline constexpr std::uint32_t kQuickEffort = 5'000'000;

// A data race or a violation of atomicity, with the execution that shows it.
struct PredictedFinding {
  FindingLevel level = FindingLevel::kConfirmed;  // kSeen, kHarmful, kConfirmed
  Candidate candidate;
  Confirmation confirmation;
  Execution witness;       // with its choice log
  std::uint64_t like = 0;  // others of the same kind about the same object, that say no more
  // Every thread sees on the way what it saw when it was recorded. Otherwise the accesses
  // themselves see something else, and that the program goes on as before was tried.
  bool proved = true;
};

struct PredictOptions {
  causal::Rules rules;
  RunOptions running;  // of each execution
  bool joint = true;   // units of several calls, see UnitOptions
  WantsFinding wants;  // of candidates, not of failures
  // Of what was confirmed; empty: all.
  std::function<bool(const PredictedFinding&)> keeps;
  // What is not asked beyond these limits is counted. They are the same on every machine.
  std::uint64_t most_queries = ~std::uint64_t{0};
  // Of all queries together, in the solver's units of work; looking for deadlocks takes at most
  // half of it.
  std::uint64_t most_effort = ~std::uint64_t{0};
  // No question is asked after that; zero: none. What that leaves out depends on how busy the
  // machine is, and is counted by itself.
  Clock::duration time{};
  bool strict = false;   // locks taken between are findings, even if they did no harm
  unsigned threads = 1;  // that answer queries
                         // What is looked for.
  bool races = true;
  bool deadlocks = true;
  bool atomic_sets = true;
  bool sections = true;  // locks taken between two acquisitions of one block
  Plan plain{};          // of executions that only show what the program writes
};

struct PredictResult {
  CausalProblem problem;   // kNone: the recording fits the model
  std::string divergence;  // the program did not follow the recording: why; empty if it did
  std::uint64_t steps = 0;
  std::uint64_t queries = 0;
  std::uint64_t unknown = 0;
  std::uint64_t harmless = 0;       // locks taken between, without harm: no findings
  std::uint64_t recordings = 0;     // executions before the witnesses, where somebody counts them
  std::uint64_t witnesses = 0;      // executions
  std::uint64_t unconfirmed = 0;    // of them, those that did not show what the model says
  std::uint64_t tried = 0;          // of them, those of which the model says less
  std::uint64_t pruned = 0;         // questions that needed no solver
  std::uint64_t too_far_apart = 0;  // questions about steps that no window has together
  std::uint64_t windows = 0;
  std::uint64_t effort = 0;     // of all queries, in the solver's units of work
  std::uint64_t not_asked = 0;  // questions beyond the limits of queries and effort
  std::uint64_t too_late = 0;   // questions beyond the limit of time
  // The first proved schedule that the program did not follow, with both sides; and that execution.
  CausalProblem strayed;
  std::optional<Execution> stray;
  std::vector<PredictedFinding> findings;
  std::vector<Execution> failing;  // witnesses that failed, with their logs: deadlocks, mostly
};

// The plan of an execution that shows what its steps find.
Plan by_values(Plan plan);

// `recorded` has its choice log, and its plan Plan::by_values. The worker was started with
// kEnabledCapacity. An error means that executions could not be started.
Result<PredictResult> predict(Worker& worker, const Execution& recorded,
                              const PredictOptions& options);

}  // namespace raddle
