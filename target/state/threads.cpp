#include "target/state/threads.hpp"

#include "target/base/base.hpp"
#include "target/base/forgetting.hpp"
#include "target/state/execution.hpp"

namespace raddle {
namespace {

RADDLE_FORGOTTEN ThreadArray g_threads;
RADDLE_FORGOTTEN std::uint32_t g_live;

}  // namespace

bool always(Thread&) { return true; }

Thread& add_thread(Thread* creator) {
  std::uint32_t number = thread_count();
  RADDLE_CHECK(number < kMaxThreads, "too many threads");
  Thread* t = arena_array<Thread>(1);
  t->pending.thread = ThreadId{std::uint16_t(number)};
  t->pending.op = OpKind::thread_begin;
  t->enabled_index = t->deadline_index = -1;
  t->deadline = kNoDeadline;
  t->ready = always;
  t->creator = creator;
  if (creator != nullptr) t->mask = creator->mask;
  register_object(t->self, ObjectClass::thread, 0);
  t->self.owner = t;
  t->pending.object = t->self.id;
  g_threads.reach(number);
  g_threads[number] = t;
  ++g_live;
  g_region->live.threads.store(thread_count(), std::memory_order_relaxed);
  return *t;
}

void retire_thread(Thread& thread) {
  thread.finished = true;
  --g_live;
}

Thread* find_thread(pthread_t handle) {
  for (std::uint32_t i = thread_count(); i-- > 0;) {
    if (g_threads[i]->handle == handle) return g_threads[i];
  }
  return nullptr;
}

const ThreadArray& all_threads() { return g_threads; }
std::uint32_t thread_count() { return std::uint32_t(g_threads.size()); }
std::uint32_t live_threads() { return g_live; }
Thread& thread_by_id(ThreadId id) { return *g_threads[raw(id)]; }

}  // namespace raddle
