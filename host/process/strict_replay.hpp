// An execution once more, step by step. Everything that wants to look at an execution a second time
// comes through here: confirming, grouping and explaining failures, minimizing, `raddle replay`,
// and raddle::check for its last look.
#pragma once

#include <cstdint>

#include "host/base/result.hpp"
#include "host/process/execution.hpp"
#include "host/process/worker.hpp"
#include "host/replay/replay_file.hpp"

namespace raddle {

// How much a second execution is to leave behind.
enum class ReplayDetail : std::uint8_t {
  kOutcome,  // how it ended, and its events
  kFull,     // each thread's last steps with their stacks, and the choice log even if it passed
};

// The plan of an execution that follows a choice log to its end and ends as diverged at the first
// difference: `plan` without what belongs to a search rather than to the execution.
Plan strict_replay_of(const Plan& plan, OutcomeKind recorded, ReplayDetail detail);

// Executes `recorded` again: its plan, its aims and its choice log, which it must have. If
// `options` has somebody who listens, he hears everything that the program does. The result has
// the plan of `recorded`. An error means that no execution could be started.
Result<Execution> replay_strictly(Worker& worker, const Execution& recorded,
                                  const RunOptions& options, ReplayDetail detail);

// The execution that a file holds, as far as the file holds it.
Execution recorded_execution(const ReplayFile& file);

}  // namespace raddle
