// Objects compiled with -fsanitize=thread, by gcc or clang, and linked with libraddle.so instead of
// libtsan: their calls become the events that raddle-cc's hooks make, with the code address as
// site. Without control the calls do only what the program asked for.
#pragma once

#include <cstdint>

#include "target/code/instrumentation.hpp"
#include "target/instrumented/hooks.hpp"
#include "target/sched/scheduler.hpp"
#include "target/stream/recorded.hpp"
#include "target/stream/stream.hpp"

namespace raddle {

// Memory events are wanted, and the calling thread is one whose events count.
inline bool tsan_traced() {
  return recorded() && g_in_runtime == 0 && plan().trace == TraceLevel::kMemory;
}

inline std::uint64_t as_number(const void* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

}  // namespace raddle
