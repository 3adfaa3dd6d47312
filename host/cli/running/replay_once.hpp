// A replay file's execution once more, and what it shows: what `raddle replay` and `raddle report`
// have in common.
#pragma once

#include <atomic>
#include <string>

#include "host/base/result.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/process/watch.hpp"
#include "host/report/results/replay_report.hpp"

namespace raddle {

// `file` was read from `path`, and must outlive the result. An error means that the program could
// not be executed. `passing`: looks for the nearest execution that passes, too.
Result<ReplayReport> replay_once(const std::string& path, const ReplayFile& file,
                                 const PreparedProgram& prepared, Clock::duration timeout,
                                 const std::atomic<bool>& stop, bool passing = false);

}  // namespace raddle
