// The threads that can move: whose pending operation can end now, and how.
#pragma once

#include <cstdint>

#include "target/base/base.hpp"
#include "target/state/thread.hpp"

namespace raddle {

// Dense. There is room for every thread: expect_thread() makes it.
extern GrowingArray<const Pending*> g_enabled;
extern std::uint32_t g_enabled_count;

__attribute__((always_inline)) inline void set_enabled(Thread& thread, bool enabled) {
  if (enabled == (thread.enabled_index >= 0)) return;
  if (enabled) {
    thread.enabled_index = std::int32_t(g_enabled_count);
    g_enabled[g_enabled_count++] = &thread.pending;
  } else {
    const Pending* last = g_enabled[--g_enabled_count];
    g_enabled[std::size_t(thread.enabled_index)] = last;
    thread_of(last).enabled_index = thread.enabled_index;
    thread.enabled_index = -1;
  }
}

// Comes before the thread is evaluated for the first time.
inline void expect_thread(const Thread& thread) { g_enabled.reach(raw(thread.pending.thread)); }

// How the pending operation will end. Mostly that is known already, and then nothing is written:
// see step_word().
inline void set_outcome(Thread& thread, StepOutcome outcome) {
  if (thread.pending.outcome != outcome) thread.pending.outcome = outcome;
}

// A signal is there that the thread does not block.
inline bool has_signal(const Thread& thread) {
  return thread.signals != 0 && (thread.signals & ~thread.mask) != 0;
}

// Can the thread's pending operation end now, and how? Cancellation and signals come first, as in
// the real calls: a request that is pending when a cancellation point is reached takes effect.
void evaluate(Thread& thread);

// Whose deadline has come, or comes within `slack` nanoseconds, can move.
void fire_deadlines(std::uint64_t slack = 0);

}  // namespace raddle
