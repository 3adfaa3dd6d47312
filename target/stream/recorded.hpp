// For interceptors that only tell what happened: whether somebody listens, and the calling thread's
// events count.
#pragma once

#include "target/state/execution.hpp"
#include "target/stream/stream.hpp"

namespace raddle {

inline bool recorded() {
  return __builtin_expect(g_stream != nullptr, 0) && on_controlled_thread();
}

}  // namespace raddle
