// What a failing execution was, as text: the headline, the threads' steps side by side, their
// stacks, as `raddle fuzz` shows them, and how to have it again.
#pragma once

#include <string>

#include "host/check/in_process_runner.hpp"
#include "host/check/replay_string.hpp"
#include "host/process/execution.hpp"

namespace raddle {

struct FailureFacts {
  std::string replay;     // its name
  std::string arguments;  // of the test binary, that run this test alone; may be empty
  std::string which;      // "execution 6, random, seed 6"
};

// How to have it again, the last lines.
std::string footer(const FailureFacts& facts);

// Of the runner's last execution. Runs it once more, in a child.
std::string explain_failure(InProcessRunner& runner, const FailureFacts& facts);

// The same plan gave two executions: `first` is the log of the earlier one, the runner has the
// later.
std::string explain_difference(InProcessRunner& runner, std::span<const StepRecord> first,
                               const FailureFacts& facts);

// The runner's last execution ended as diverged: the report has both sides.
std::string explain_divergence(InProcessRunner& runner, const FailureFacts& facts);

}  // namespace raddle
