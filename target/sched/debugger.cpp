#include "target/sched/debugger.hpp"

#include <cstddef>

#include "protocol/shared_region.hpp"
#include "target/base/base.hpp"
#include "target/state/execution.hpp"
#include "target/state/threads.hpp"

namespace raddle {
namespace {

#define RADDLE_TEXT(name, text) text,
constexpr const char* kOpTexts[] = {RADDLE_OPS(RADDLE_TEXT)};
constexpr const char* kClassTexts[] = {RADDLE_OBJECT_CLASSES(RADDLE_TEXT)};
#undef RADDLE_TEXT

// Every field has eight bytes. raddle.py has the same list in the same order, and refuses another
// version.
struct Table {
  std::uint64_t version = 1;

  // By the debugger: raddle_debugger_step() is called when this step is next. The first step always
  // is such a call, so that a debugger can say which one it wants.
  std::uint64_t stop_at = 0;

  std::uint64_t next_step = 0;  // these two are valid in raddle_debugger_step()
  const Thread* next_thread = nullptr;
  Thread* const* current = &g_current;  // who has the token

  const StepRecord* log = nullptr;                    // what was executed:
  const std::atomic<std::uint64_t>* steps = nullptr;  // so many steps
  const StepRecord* recording = nullptr;
  std::uint64_t recorded_steps = 0;

  const ThreadArray* threads = nullptr;  // each begins with a pointer to the first, and how many
  const ObjectArray* objects = nullptr;  // object 1 is the first

  const char* const* ops = kOpTexts;
  const char* const* classes = kClassTexts;
  std::uint64_t op_count = std::size(kOpTexts);
  std::uint64_t class_count = std::size(kClassTexts);

  std::uint64_t thread_number = offsetof(Thread, pending) + offsetof(Pending, thread);
  std::uint64_t thread_op = offsetof(Thread, pending) + offsetof(Pending, op);
  std::uint64_t thread_object = offsetof(Thread, pending) + offsetof(Pending, object);
  std::uint64_t thread_enabled = offsetof(Thread, enabled_index);
  std::uint64_t thread_finished = offsetof(Thread, finished);
  std::uint64_t thread_name = offsetof(Thread, name);
  std::uint64_t thread_kernel_tid = offsetof(Thread, kernel_tid);
  std::uint64_t object_class = offsetof(Object, cls);
  std::uint64_t object_address = offsetof(Object, address);
  std::uint64_t object_owner = offsetof(Object, owner);
};

}  // namespace
}  // namespace raddle

// The names are part of the interface.
RADDLE_EXPORT raddle::Table raddle_debugger;
raddle::Table raddle_debugger;

RADDLE_EXPORT __attribute__((noinline, used)) void raddle_debugger_step() {
  asm volatile("" : : : "memory");  // a debugger stops here
}

namespace raddle {

void show_replay(SharedRegion& region) {
  raddle_debugger.log = region.log();
  raddle_debugger.steps = &region.live.steps;
  raddle_debugger.recording = region.replay_log();
  raddle_debugger.recorded_steps = region.plan.replay_steps;
  raddle_debugger.threads = &all_threads();
  raddle_debugger.objects = &all_objects();
}

void show_step(std::uint64_t step, const Thread& thread) {
  if (__builtin_expect(step != raddle_debugger.stop_at, 1)) return;
  raddle_debugger.next_step = step;
  raddle_debugger.next_thread = &thread;
  raddle_debugger_step();
}

}  // namespace raddle
