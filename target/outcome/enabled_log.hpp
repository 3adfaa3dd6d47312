// Who could move at each step, for explorers (Plan::enabled_log): protocol/shared_region.hpp has
// the layout. Bounded: an execution that does not fit ends at a limit.
#pragma once

#include <span>

#include "target/state/thread.hpp"

namespace raddle {

// Before the choice of step `step`; a value choice has nobody.
void log_enabled(std::uint64_t step, std::span<const Pending* const> enabled);

// The step whose group was logged last is not made: the execution ends at a limit before it.
void unlog_enabled(std::uint64_t step);

// The execution ends, in whatever way: every thread that has not ended, as the group behind the
// last step. Again when it ends once more (an exit, then a crash in a handler). The running thread
// has no pending operation, unless it has just announced one: `announced`, or it is blocked.
void log_end(bool announced);

// All that could move are asleep: the log ends here. Where the process is the execution, it ends,
// as passed. One of many executions in a process goes on to its end without being logged: threads
// that are left where they stand would keep their stacks, and whatever the program allocated.
void end_as_redundant();

}  // namespace raddle
