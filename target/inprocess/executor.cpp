#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>

#include "protocol/inprocess_abi.h"
#include "target/base/forgetting.hpp"
#include "target/carrier/carrier.hpp"
#include "target/carrier/crash_stack.hpp"
#include "target/carrier/fiber_switch.hpp"
#include "target/carrier/fresh_tls.hpp"
#include "target/carrier/glibc.hpp"
#include "target/code/instrumentation.hpp"
#include "target/code/own_code.hpp"
#include "target/control/control.hpp"
#include "target/control/counter.hpp"
#include "target/heap/execution_heap.hpp"
#include "target/inprocess/inprocess.hpp"
#include "target/instrumented/hooks.hpp"
#include "target/outcome/enabled_log.hpp"
#include "target/outcome/home.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/outside.hpp"
#include "target/sched/scheduler.hpp"
#include "target/signals/signal_actions.hpp"
#include "target/signals/signals.hpp"
#include "target/stream/stream.hpp"

namespace raddle {

namespace {

bool g_prepared;
void* g_crash_stack;
std::int32_t g_pid;
std::int32_t g_tid;
unsigned g_abandoned;

struct Call {
  void (*function)(void*);
  void* data;
};

void* call_function(void* data) {
  const auto& call = *static_cast<const Call*>(data);
  call.function(call.data);
  return nullptr;
}

// Above the stacks of fibers (carrier/fiber_stacks.cpp): nobody else puts anything there.
constexpr std::uintptr_t kHeapArea = 0x6c00'0000'0000;

// A program that brings its own allocator keeps it: it may be what is tested, or a sanitizer's.
bool libc_allocates() {
  Dl_info of_malloc;
  Dl_info of_libc;
  return dladdr(reinterpret_cast<void*>(RADDLE_REAL(malloc)), &of_malloc) != 0 &&
         dladdr(reinterpret_cast<void*>(&gnu_get_libc_version), &of_libc) != 0 &&
         of_malloc.dli_fbase == of_libc.dli_fbase;
}

// What is the same for all sessions of the process. Its memory lies before the arena's mark.
const char* prepare() {
  if (g_prepared) return nullptr;
  if (missing_in_glibc() != nullptr) {
    return "this C library lacks what fibers need: glibc 2.34 or later, x86-64";
  }
  fiber_carrier().adopt_main(g_home);
  g_crash_stack = make_crash_stack();
  learn_tls_image();
  // Without it, addresses of the heap are not the same each time; all else is.
  if (libc_allocates()) g_heap.open(kHeapArea);
  mark_arena();
  g_prepared = true;
  return nullptr;
}

// Home again: gives the threads of the execution back, or leaves them where they are.
void give_threads_back() {
  g_abandoned = 0;
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
    if (thread.handle == 0) continue;
    if (thread.finished || !thread.begun) {
      carrier().release(thread);
    } else {
      ++g_abandoned;
    }
  }
  if (g_abandoned > 0) release_abandoned();
}

}  // namespace

void end_of_function() {
  g_in_runtime = 1;
  // Whether the others have ended by now is a matter of the schedule.
  if (live_threads() > 1) decide(OpKind::process_exit, nullptr, 0);
  if (live_threads() > 1) {
    Thread* leaked = nullptr;
    for (std::uint32_t i = 1; leaked == nullptr; ++i) {
      Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
      if (!thread.finished) leaked = &thread;
    }
    end_with(OutcomeKind::kLeaked, *leaked, "");
  }
  retire_thread(self());
  log_end(false);
  switch_home();
}

}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT enum RaddlePlace raddle_session_place(void) {
  if (!g_active || thread_pointer() != g_current->thread_pointer) return RADDLE_OUTSIDE;
  return g_in_process ? RADDLE_IN_EXECUTION : RADDLE_UNDER_HOST;
}

RADDLE_EXPORT const char* raddle_session_begin(void (*dying)(RaddleRegion*)) {
  if (g_active || g_in_process) return "an execution is under way in this process already";
  if (const char* reason = prepare()) return reason;
  g_dying = dying;
  // Libraries choose cheaper, non-atomic code while this says that there is one thread only: it
  // must say the same in the first execution and in the second.
  __libc_single_threaded = 0;
  learn_code_ranges();
  install_crash_stack(g_crash_stack);
  install_crash_handlers();
  install_sample_handler();
  adopt_actions();
  learn_counter_reads();
  find_hooks();
  g_pid = std::int32_t(raw_syscall(SYS_getpid));
  g_tid = std::int32_t(raw_syscall(SYS_gettid));
  g_home.thread_pointer = thread_pointer();
  g_home.mask = initial_mask();
  count_other_kernel_threads();
  g_in_process = true;
  return nullptr;
}

RADDLE_EXPORT void raddle_session_run(RaddleRegion* region, void (*function)(void*), void* data) {
  int saved_errno = errno;
  forget_execution();
  prepare_scheduler(*region);
  Call call{function, data};
  Thread& main = add_thread(nullptr);
  main.start = call_function;
  main.argument = &call;
  main.mask = g_home.mask;
  if (carrier().create(main, nullptr) != 0) fatal("out of memory for a stack");
  region->live.pid.store(g_pid, std::memory_order_relaxed);
  region->live.kernel_tid.store(g_tid, std::memory_order_relaxed);
  start_main(main);
  start_hooks(g_stream, *region);
  trap_counter();
  switch_fiber(g_home, main);
  g_active = false;
  untrap_counter();
  stop_stream();
  stop_hooks();
  use_mask_of(g_home);
  give_threads_back();
  g_in_runtime = 0;
  g_region = nullptr;
  errno = saved_errno;
}

RADDLE_EXPORT int raddle_session_instrumented(void) { return g_hooks_state != nullptr ? 1 : 0; }

RADDLE_EXPORT unsigned raddle_session_abandoned(void) { return g_abandoned; }

RADDLE_EXPORT void raddle_session_end(void) {
  restore_actions();
  g_in_process = false;
  set_helper_thread(nullptr);
}

RADDLE_EXPORT void raddle_session_helper(void) { set_helper_thread(thread_pointer()); }

RADDLE_EXPORT int raddle_session_note_failure(const char* text, const char* file, unsigned line) {
  if (!g_active || !g_in_process || thread_pointer() != g_current->thread_pointer) return 0;
  Report& report = g_region->report;
  if (report.kind != OutcomeKind::kNone) return 1;
  std::uint32_t before = g_in_runtime;
  copy_text(report.file, sizeof(report.file), file);
  report.function[0] = 0;
  report.line = line;
  publish(OutcomeKind::kAssertion, self(), text);
  g_in_runtime = before;
  return 1;
}
