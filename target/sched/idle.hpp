// When nobody can move, and when all that move only wait: yields, spins, looks that saw nothing.
#pragma once

#include <cstdint>

#include "target/sched/thread.hpp"

namespace raddle {

// No thread is enabled. Waits for the outside world, lets time pass, or ends the execution.
void wait_until_enabled();
// Time stands still, and all that moves is idle: who waits for a time gets it.
void pass_idle_time();

extern bool g_idling;               // the last operation was idle,
extern std::uint64_t g_idle_steps;  // and so were these before it

// The operation that is executed next is idle: ends the execution if that is all that will ever be.
__attribute__((noinline)) void idles_on(const Thread& next);
// It is not, and the one before it was.
__attribute__((noinline)) void idles_no_more(OpKind op);
void forget_idleness();

// A thread that Raddle does not schedule uses synchronisation: there is no point in going on.
extern bool g_foreign_thread;
[[noreturn]] void end_as_foreign();
inline void end_if_foreign() {
  if (__atomic_load_n(&g_foreign_thread, __ATOMIC_RELAXED)) end_as_foreign();
}
void forget_foreign_threads();

}  // namespace raddle
