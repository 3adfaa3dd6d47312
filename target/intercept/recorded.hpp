// For interceptors that only tell what happened: whether somebody listens, and the calling thread's
// events count.
#pragma once

#include "target/sched/scheduler.hpp"
#include "target/stream/stream.hpp"

namespace raddle {

// Unlike controlled(), also inside the runtime, and a foreign thread is no matter.
inline bool on_controlled_thread() {
  return g_active && thread_pointer() == g_current->thread_pointer;
}

inline bool recorded() {
  return __builtin_expect(g_stream != nullptr, 0) && on_controlled_thread();
}

}  // namespace raddle
