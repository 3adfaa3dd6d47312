// What a decision has to look at beyond the choice. Each flag belongs to whoever sets it. A
// decision asks for all of them at once: mostly there is nothing.
#pragma once

#include <string.h>

#include <cstdint>

namespace raddle {

struct alignas(std::uint64_t) Attention {
  bool foreign_thread;    // was seen; set by that thread (state/foreign_threads.hpp)
  bool deadlines;         // somebody waits for one (sched/clock.hpp)
  bool polled;            // somebody waits for the kernel (sched/outside.hpp)
  bool evaluated_always;  // there is such an object (sched/scheduler.hpp)
  bool extra_work;        // the plan asks for more than the choice (sched/decision_state.hpp)
  bool places;            // the strategy may want to know where threads are (sched/telling.hpp)
  bool streamed;          // what happens is (stream/stream.hpp)
  bool idling;            // the last operation was idle (waiting/waiting.hpp)
};
static_assert(sizeof(Attention) == sizeof(std::uint64_t));

extern Attention g_attention;

inline bool attention_wanted() {
  std::uint64_t all = 0;
  memcpy(&all, &g_attention, sizeof all);
  return all != 0;
}

}  // namespace raddle
