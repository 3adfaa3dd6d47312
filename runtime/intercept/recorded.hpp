// For interceptors that only tell what happened: whether somebody listens, and the calling thread's
// events count.
#pragma once

#include "runtime/sched/scheduler.hpp"
#include "runtime/stream/stream.hpp"

namespace raddle {

inline bool recorded() {
  return __builtin_expect(g_stream != nullptr, 0) && g_active &&
         thread_pointer() == g_current->thread_pointer;
}

}  // namespace raddle
