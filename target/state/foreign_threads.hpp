// Threads that nobody can schedule: made by clone(), or inside libc (timer_create with
// SIGEV_THREAD). One that calls an intercepted function makes the execution inconclusive.
#pragma once

#include "target/state/attention.hpp"
#include "target/state/execution.hpp"

namespace raddle {

// Such a thread called an intercepted function. The next decision ends the execution.
[[gnu::cold]] void note_foreign_thread();
inline bool foreign_thread_seen() {
  return __atomic_load_n(&g_attention.foreign_thread, __ATOMIC_RELAXED);
}

// A kernel thread of the carrier's is on its way to its entry, or from its end, and may call what
// it likes.
void expect_unscheduled(bool begin);

// The thread with this pointer belongs to the tool and keeps out of the executions' way; null: none
// does.
void set_helper_thread(void* pointer);
// The same for the thread of monitors that are linked into the program; it stays.
void set_monitors_thread(void* pointer);

// True when the calling thread is controlled and not already inside the runtime. An interceptor
// that sees false calls the real function.
inline bool controlled() {
  if (!g_active) return false;
  if (__builtin_expect(thread_pointer() != g_current->thread_pointer, 0)) {
    note_foreign_thread();
    return false;
  }
  return g_in_runtime == 0;
}

}  // namespace raddle
