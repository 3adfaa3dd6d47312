// Who could move at each step, for explorers (Plan::enabled_log): protocol/shared_region.hpp has
// the layout. Bounded: an execution that does not fit ends at a limit.
#pragma once

#include <span>

#include "target/state/thread.hpp"

namespace raddle {

// Before the choice of step `step`; a value choice has nobody.
void log_enabled(std::uint64_t step, std::span<const Pending* const> enabled);

// The execution ends, in whatever way: every thread that has not ended, as the group behind the
// last step. Again when it ends once more (an exit, then a crash in a handler). The running thread
// has no pending operation, unless it has just announced one: `announced`, or it is blocked.
void log_end(bool announced);

// All that could move are asleep. Ends the process, as passed: the log says what happened.
[[noreturn]] void end_as_redundant();

}  // namespace raddle
