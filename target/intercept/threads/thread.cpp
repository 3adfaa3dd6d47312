// pthread_create, join, detach: the life of threads.
#include "target/intercept/threads/thread.hpp"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/single_threaded.h>

#include "target/base/symbols.hpp"
#include "target/carrier/carrier.hpp"
#include "target/carrier/glibc.hpp"
#include "target/control/control.hpp"
#include "target/inprocess/inprocess.hpp"
#include "target/intercept/cancel/cancel.hpp"
#include "target/intercept/sync/mutex.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/decision.hpp"
#include "target/state/quiet_heap.hpp"
#include "target/stream/stream.hpp"

namespace raddle {
namespace {

bool has_finished(Thread& t) { return reinterpret_cast<Thread*>(t.wait_data)->finished; }

// A thread that waits for itself, directly or through others, would never return: glibc finds the
// direct case and that of two threads.
bool would_wait_for_itself(const Thread& target) {
  return &target == &self() || (target.waits_for == &self().self && !target.finished);
}

int make_carrier(Thread& thread, const pthread_attr_t* attributes) {
  QuietHeap quiet;
  return carrier().create(thread, attributes);
}

// AddressSanitizer linked into the program has a pthread_create() in front of ours, and calls ours
// with a lock of its own held, which every thread takes when it begins and ends: no other thread
// may run before the call returns. What comes before and after it are decision points all the same.
bool called_under_lock() {
  static const bool linked_in =
      symbol_in(reinterpret_cast<const void*>(getauxval(AT_ENTRY)), "__asan_init").address !=
      nullptr;
  return linked_in;
}

void release_carrier(Thread& thread) {
  QuietHeap quiet;
  carrier().release(thread);
}

// The decisions are inline in what the program calls: see sched/decision.hpp.
__attribute__((always_inline)) inline int create_inline(pthread_t* handle,
                                                        const pthread_attr_t* attributes,
                                                        void* (*start)(void*), void* argument,
                                                        std::uint64_t site) {
  // Libraries choose cheaper, non-atomic code while this says that there is one thread only.
  __libc_single_threaded = 0;
  const bool alone = called_under_lock();
  if (!alone) decide_inline(OpKind::thread_create, nullptr, site);
  if (thread_count() >= kMaxThreads) {
    end_with(OutcomeKind::kInconclusive, self(),
             "the program made more than 65,534 threads: Raddle follows no more in one execution");
  }
  if (live_threads() >= kMaxLiveThreads) {
    end_with(OutcomeKind::kInconclusive, self(),
             "the program made more than 8,192 threads that have not ended: Raddle follows no more "
             "at once");
  }
  Thread& thread = add_thread(&self());
  thread.start = start;
  thread.argument = argument;
  thread.pending.site = site;
  if (attributes != nullptr) {
    int state = PTHREAD_CREATE_JOINABLE;
    pthread_attr_getdetachstate(attributes, &state);
    thread.detached = state == PTHREAD_CREATE_DETACHED;
  }
  if (int error = make_carrier(thread, attributes)) {
    retire_thread(thread);
    return error;
  }
  *handle = thread.handle;
  note(EventKind::fork, site, reinterpret_cast<const void*>(start), raw(thread.pending.thread));
  thread_created(thread);
  if (!alone) let_others(site);
  return 0;
}

__attribute__((always_inline)) inline int join_inline(pthread_t handle, void** result,
                                                      std::uint64_t deadline, std::uint64_t site) {
  Thread* target = find_thread(handle);
  if (target == nullptr) return ESRCH;
  if (target->detached) return EINVAL;
  if (would_wait_for_itself(*target)) return EDEADLK;
  if (target->joiner != nullptr) return EINVAL;
  target->joiner = &self();
  StepOutcome outcome = wait_as({.op = OpKind::thread_join,
                                 .object = &target->self,
                                 .ready = has_finished,
                                 .data = reinterpret_cast<std::int64_t>(target),
                                 .deadline = deadline,
                                 .cancellable = true,
                                 .site = site});
  if (outcome != StepOutcome::kReady) {
    target->joiner = nullptr;
    if (outcome == StepOutcome::kCancelled) cancel_now();
    return ETIMEDOUT;
  }
  note(EventKind::join, site, std::uint64_t{0}, raw(target->pending.thread));
  if (result != nullptr) *result = target->result;
  if (target->pending.thread != kMainThread) release_carrier(*target);
  target->handle = 0;
  return 0;
}

}  // namespace

int create_thread(pthread_t* handle, const pthread_attr_t* attributes, void* (*start)(void*),
                  void* argument, std::uint64_t site) {
  return create_inline(handle, attributes, start, argument, site);
}

int join_thread(pthread_t handle, void** result, std::uint64_t deadline, std::uint64_t site) {
  return join_inline(handle, result, deadline, site);
}

void thread_main(Thread& thread) {
  thread_begins(thread);
  if (g_in_process) {
    // Of what libc keeps in a block that was used before, these two show. The locale brings the
    // tables of isalpha and kin along.
    errno = 0;
    uselocale(LC_GLOBAL_LOCALE);
  } else if (plan().carrier == CarrierKind::kFiber) {
    glibc_threads().init_ctype();
  }
  RuntimeScope::leave();
  run_thread_body(thread, thread.start, thread.argument);
  end_thread(thread);
}

void end_thread(Thread& thread) {
  thread.exiting = true;
  run_thread_destructors();
  if (!g_active) {
    // The copy of this thread in a forked child. A kernel thread ends by itself; a fiber is the
    // process.
    if (plan().carrier == CarrierKind::kKernel) return;
    exit(0);
  }
  if (g_in_process && thread.pending.thread == kMainThread) end_of_function();
  g_in_runtime = 1;
  decide_inline(OpKind::thread_end, &thread.self, 0);
  abandon_robust_mutexes(thread);
  if (live_threads() == 1) {
    RuntimeScope::leave();
    exit(0);  // POSIX: as if the last thread had called it
  }
  finish_thread(thread);
}

int detach_thread(pthread_t handle) {
  Thread* target = find_thread(handle);
  if (target == nullptr) return ESRCH;
  if (target->detached) return EINVAL;
  target->detached = true;
  if (target->finished && target->pending.thread != kMainThread) {
    release_carrier(*target);
    target->handle = 0;
  }
  return 0;
}

}  // namespace raddle

using namespace raddle;

namespace {

int join_until(pthread_t handle, void** result, clockid_t clock, const timespec* time,
               std::uint64_t site) {
  if (time == nullptr) return join_thread(handle, result, kNoDeadline, site);
  if (time->tv_nsec < 0 || time->tv_nsec >= 1'000'000'000) return EINVAL;
  return join_thread(handle, result, deadline_at(clock, *time), site);
}

}  // namespace

RADDLE_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes,
                                 void* (*start)(void*), void* argument) {
  take_control();  // a constructor of the program may come here before main
  if (!controlled()) return RADDLE_REAL(pthread_create)(handle, attributes, start, argument);
  RuntimeScope scope;
  return create_inline(handle, attributes, start, argument, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_join(pthread_t handle, void** result) {
  if (!controlled()) return RADDLE_REAL(pthread_join)(handle, result);
  RuntimeScope scope;
  return join_inline(handle, result, kNoDeadline, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_tryjoin_np(pthread_t handle, void** result) {
  if (!controlled()) return RADDLE_REAL(pthread_tryjoin_np)(handle, result);
  RuntimeScope scope;
  Thread* target = find_thread(handle);
  if (target == nullptr) return ESRCH;
  decide(OpKind::thread_join, &target->self, RADDLE_SITE, kJoinWithoutWaiting);
  return target->finished ? join_thread(handle, result, kNoDeadline, RADDLE_SITE) : EBUSY;
}

RADDLE_EXPORT int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* time) {
  if (!controlled()) return RADDLE_REAL(pthread_timedjoin_np)(handle, result, time);
  RuntimeScope scope;
  return join_until(handle, result, CLOCK_REALTIME, time, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock,
                                       const timespec* time) {
  if (!controlled()) return RADDLE_REAL(pthread_clockjoin_np)(handle, result, clock, time);
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
  RuntimeScope scope;
  return join_until(handle, result, clock, time, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_detach(pthread_t handle) {
  if (!controlled()) return RADDLE_REAL(pthread_detach)(handle);
  RuntimeScope scope;
  return detach_thread(handle);
}
