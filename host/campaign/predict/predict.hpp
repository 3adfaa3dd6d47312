// From one recorded execution to what other executions show: the causal model names the schedules
// (host/explore/causal/prediction.hpp), the program executes each, and a detector looks at a step
// by step replay of it. Only what a detector, or the end of the execution, confirms is reported.
//
// Called by `raddle predict`, on its own thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/confirm/candidates.hpp"
#include "host/campaign/confirm/confirm.hpp"
#include "host/causal/question.hpp"
#include "host/explore/causal_problem.hpp"
#include "host/process/worker.hpp"

namespace raddle {

struct PredictOptions {
  causal::Rules rules;
  RunOptions running;  // of each execution
};

// A data race, with the execution in which its two accesses come one after the other.
struct PredictedRace {
  Candidate candidate;
  Confirmation confirmation;
  Execution witness;  // with its choice log
};

struct PredictResult {
  CausalProblem problem;   // kNone: the recording fits the model
  std::string divergence;  // the program did not follow the recording: why; empty if it did
  std::uint64_t steps = 0;
  std::uint64_t queries = 0;
  std::uint64_t unknown = 0;
  std::uint64_t witnesses = 0;    // executions
  std::uint64_t unconfirmed = 0;  // of them, those that did not show what the model says
  std::vector<PredictedRace> races;
  std::vector<Execution> failing;  // witnesses that failed, with their logs: deadlocks, mostly
};

// `recorded` has its choice log, and its plan Plan::by_values. The worker was started with
// kEnabledCapacity. An error means that executions could not be started.
Result<PredictResult> predict(Worker& worker, const Execution& recorded,
                              const PredictOptions& options);

}  // namespace raddle
