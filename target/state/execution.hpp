// The execution under way: its region and plan, and who holds the token.
//
// Exactly one program thread runs at a time, so what is "current" is a global. Everything here is
// written by whoever holds the token. Interceptors read it on the program's threads; the handlers
// of signals read it wherever they interrupt.
#pragma once

#include <cstdint>

#include "protocol/shared_region.hpp"
#include "target/base/base.hpp"
#include "target/state/thread.hpp"

namespace raddle {

// The thread that holds the token. Only meaningful while g_active.
extern Thread* g_current;
// The runtime is in control of this process (not before main, not in forked children).
extern bool g_active;
// The token holder is inside the runtime: signals wait, and nested interceptions pass through.
extern std::uint32_t g_in_runtime;
extern SharedRegion* g_region;

// This process has executions one after another (raddle::check); set while a session is open.
extern bool g_in_process;
// The running thread is inside the program's allocator.
extern bool g_in_heap;

inline Thread& self() { return *g_current; }

inline const Plan& plan() { return g_region->plan; }

// Steps so far.
inline std::uint64_t steps_so_far() { return g_region->live.steps.load(std::memory_order_relaxed); }

// Unlike controlled(), also inside the runtime, and a foreign thread is no matter.
inline bool on_controlled_thread() {
  return g_active && thread_pointer() == g_current->thread_pointer;
}

}  // namespace raddle
