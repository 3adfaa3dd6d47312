// When nobody can move, and when all that move only wait: yields, spins, looks that saw nothing.
#pragma once

#include <cstdint>

#include "target/state/foreign_threads.hpp"

namespace raddle {

// No thread is enabled. Waits for the outside world, lets time pass, or ends the execution.
void wait_until_enabled();
// Time stands still, and all that moves is idle: who waits for a time gets it.
void pass_idle_time();

// The operation that is executed next is idle: ends the execution if that is all that will ever be.
__attribute__((noinline)) void idles_on(Thread& next);

// A thread that Raddle does not schedule uses synchronisation: there is no point in going on.
[[noreturn]] void end_as_foreign();
inline void end_if_foreign() {
  if (foreign_thread_seen()) end_as_foreign();
}

}  // namespace raddle
