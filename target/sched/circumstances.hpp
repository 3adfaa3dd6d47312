// Notes for the host on what an execution met besides its schedule (protocol/circumstances.hpp).
// Called by the scheduler and the interceptors, on the thread that runs.
#pragma once

#include <cstdint>

#include "target/state/thread.hpp"

namespace raddle {

// A wait that has this deadline is over, and it is not that late yet. Before the clock is put
// forward.
__attribute__((noinline, cold)) void note_early_timeout(const Thread& thread,
                                                        std::uint64_t deadline);

// A wait for a condition returns without a signal.
void note_spurious_wakeup();

// A read or write moves less than it could; an allocation fails that would not.
void note_short_transfer();
void note_failed_allocation();

}  // namespace raddle
