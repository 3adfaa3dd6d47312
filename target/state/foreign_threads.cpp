#include "target/state/foreign_threads.hpp"
#include "target/base/forgetting.hpp"

namespace raddle {

namespace {

RADDLE_FORGOTTEN bool g_unscheduled;  // see expect_unscheduled()
void* g_helper;
void* g_monitors_thread;

}  // namespace

void note_foreign_thread() {
  const bool expected = __atomic_load_n(&g_unscheduled, __ATOMIC_RELAXED);
  const void* pointer = thread_pointer();
  if (!expected && pointer != g_helper && pointer != g_monitors_thread)
    __atomic_store_n(&g_attention.foreign_thread, true, __ATOMIC_RELAXED);
}

void expect_unscheduled(bool begin) { __atomic_store_n(&g_unscheduled, begin, __ATOMIC_RELAXED); }

void set_helper_thread(void* pointer) { g_helper = pointer; }
void set_monitors_thread(void* pointer) { g_monitors_thread = pointer; }

}  // namespace raddle
