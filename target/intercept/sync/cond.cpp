// Condition variables. A wait is three steps: it gives up the mutex and joins the waiters (one
// operation), wakes, and takes the mutex again. Which waiter a signal wakes is the strategy's
// choice.
#include "target/intercept/sync/cond.hpp"

#include <errno.h>

#include <algorithm>
#include <cstddef>

#include "target/heap/guarded_heap.hpp"
#include "target/heap/quarantine.hpp"
#include "target/intercept/cancel/cancel.hpp"
#include "target/intercept/sync/mutex.hpp"
#include "target/intercept/sync/native_waits.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/circumstances.hpp"
#include "target/sched/clock.hpp"
#include "target/stream/stream.hpp"

namespace raddle {
namespace {

constexpr std::uint32_t kSpuriousOdds = 8;  // with spurious wake-ups on, one wait in so many

// Bits of glibc's __wrefs: other processes may signal it; the clock that pthread_condattr_setclock
// chose is the monotonic one; pthread_cond_destroy was called.
constexpr unsigned kSharedFlag = 1;
constexpr unsigned kMonotonicFlag = 2;
constexpr unsigned kDestroyedFlag = 4;

// Where __wrefs is, in words. Glibc 2.41 moved it, and this library may have been built with
// another glibc than it runs with: so we look at a condition that has both flags, and nothing else
// that is not zero.
unsigned word_of_flags() {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_t probe;
  RADDLE_REAL(pthread_cond_init)(&probe, &attributes);
  pthread_condattr_destroy(&attributes);
  constexpr unsigned kWords = sizeof probe / sizeof(unsigned);
  unsigned words[kWords];
  __builtin_memcpy(words, &probe, sizeof words);
  for (unsigned at = 0; at < kWords; ++at) {
    if (words[at] == (kSharedFlag | kMonotonicFlag)) return at;
  }
  return offsetof(decltype(probe.__data), __wrefs) / sizeof(unsigned);
}

unsigned* flags_of(const pthread_cond_t* cond) {
  static unsigned known;  // one more than the word; whoever comes first computes the same
  unsigned at = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (at == 0) {
    at = word_of_flags() + 1;
    __atomic_store_n(&known, at, __ATOMIC_RELAXED);
  }
  return reinterpret_cast<unsigned*>(const_cast<pthread_cond_t*>(cond)) + at - 1;
}

bool has_flag(const pthread_cond_t* cond, unsigned flag) {
  return (__atomic_load_n(flags_of(cond), __ATOMIC_RELAXED) & flag) != 0;
}

// Destroyed, and not made anew: an initialiser clears the flag. What is freed is no condition any
// more either, and its memory may hold anything.
void look_whether_destroyed(const pthread_cond_t* cond, OpKind op, Object& object,
                            std::uint64_t site) {
  const bool is_freed = g_frees_kept && g_quarantine.covers(cond);
  if (!is_freed && !has_flag(cond, kDestroyedFlag)) return;
  report_misuse(op, object, site,
                op == OpKind::cond_wait ? "waits on a condition variable that was destroyed"
                                        : "signals a condition variable that was destroyed",
                cond);
}

// Before a signal: that somebody destroyed it says more than that its memory is gone as well, which
// ends the execution. But what a gone local held is overwritten by now.
void look_at_signalled(const pthread_cond_t* cond, OpKind op, Object& object, std::uint64_t site) {
  if (!GuardedHeap::owns(cond)) judge_again(cond);
  look_whether_destroyed(cond, op, object, site);
  judge_again(cond);
}

bool is_signalled(Thread& t) { return t.signalled; }

bool no_waiters_left(Thread& t) {
  for (Thread* w = t.waits_for != nullptr ? t.waits_for->waiters_head : nullptr; w != nullptr;
       w = w->wait_next) {
    if (w != &t) return false;
  }
  return true;
}

// Waiters that no signal has reached yet.
std::uint32_t unsignalled(const Object& cond) {
  std::uint32_t n = 0;
  for (Thread* t = cond.waiters_head; t != nullptr; t = t->wait_next) n += t->signalled ? 0 : 1;
  return n;
}

Thread& nth_unsignalled(const Object& cond, std::uint32_t n) {
  Thread* t = cond.waiters_head;
  for (;; t = t->wait_next) {
    if (!t->signalled && n-- == 0) return *t;
  }
}

// Event::value of a wake.
std::uint64_t how_it_woke(StepOutcome outcome, bool spurious) {
  if (outcome == StepOutcome::kTimeout) return 1;
  return outcome == StepOutcome::kReady && !spurious ? 0 : 2;
}

}  // namespace

namespace {

// A wait uses both.
std::uint64_t memory_of(const Object& cond, const Object& mutex) {
  if (cond.memory == 0 || mutex.memory == 0) return 0;
  const std::uint64_t low = std::min(cond.memory, mutex.memory) >> 16;
  const std::uint64_t high = std::max(cond.memory, mutex.memory) >> 16;
  constexpr std::uint64_t kNear = 0x4000;
  return touched_bytes(low, high - low < kNear ? high - low + 1 : 0);
}

}  // namespace

int wait_on_cond(pthread_cond_t* cond, pthread_mutex_t* mutex, std::uint64_t deadline,
                 std::uint64_t site) {
  Object& object = object_at(ObjectClass::cond, cond, site);
  const Object& given_up = mutex_object(mutex, site);
  Thread& t = self();
  WaitSpec announce{.op = OpKind::cond_wait,
                    .object = &object,
                    .ready = always,
                    .cancellable = true,
                    .site = site,
                    .extra = touched_object(given_up.id),
                    .memory = memory_of(object, given_up)};
  if (wait(announce) == StepOutcome::kCancelled) cancel_now();
  look_whether_destroyed(cond, OpKind::cond_wait, object, site);
  note(EventKind::wait, site, cond, reinterpret_cast<std::uint64_t>(mutex));
  if (int error = release_mutex(mutex, OpKind::cond_wait, site, kByWait)) return error;
  // With nobody else there, nobody is to be mistaken for having signalled.
  t.signalled = plan().spurious_wakeups && live_threads() > 1 && choose_value(kSpuriousOdds) == 0;
  const bool spurious = t.signalled;
  if (spurious) note_spurious_wakeup();
  StepOutcome outcome = wait({.op = OpKind::cond_wake,
                              .object = &object,
                              .ready = is_signalled,
                              .deadline = deadline,
                              .cancellable = true,
                              .site = site});
  refresh(object);  // somebody may be waiting to destroy it
  note(EventKind::wake, site, cond, how_it_woke(outcome, spurious));
  int error = lock_mutex(mutex, kNoDeadline, site, kByWait);
  if (outcome == StepOutcome::kCancelled) cancel_now();
  if (error != 0) return error;
  return outcome == StepOutcome::kTimeout ? ETIMEDOUT : 0;
}

void signal_cond(pthread_cond_t* cond, std::uint64_t site) {
  Object& object = object_at(ObjectClass::cond, cond, site);
  decide(OpKind::cond_signal, &object, site);
  look_at_signalled(cond, OpKind::cond_signal, object, site);
  std::uint32_t count = unsignalled(object);
  note(EventKind::notify, site, cond, count > 0 ? 1 : 0);
  if (count > 0) wake(nth_unsignalled(object, choose_value(count)));
  let_others(site);
}

void broadcast_cond(pthread_cond_t* cond, std::uint64_t site) {
  Object& object = object_at(ObjectClass::cond, cond, site);
  decide(OpKind::cond_broadcast, &object, site);
  look_at_signalled(cond, OpKind::cond_broadcast, object, site);
  note(EventKind::notify, site, cond, unsignalled(object), kAll);
  for (Thread* t = object.waiters_head; t != nullptr; t = t->wait_next) wake(*t);
  let_others(site);
}

void destroy_cond(pthread_cond_t* cond, std::uint64_t site) {
  // The wait below is the decision, also for what nobody has used yet.
  Object* object = live_threads() > 1 ? &object_at(ObjectClass::cond, cond, site)
                                      : find_object(ObjectClass::cond, cond);
  if (object == nullptr) return;
  if (unsignalled(*object) > 0) {
    report_misuse(OpKind::destroy, *object, site,
                  "destroys a condition variable that a thread waits on");
  }
  // As glibc: the call returns when the last waiter has left.
  wait({.op = OpKind::destroy, .object = object, .ready = no_waiters_left, .site = site});
  forget_object(*object);
  note(EventKind::destroy, site, cond);
  __atomic_or_fetch(flags_of(cond), kDestroyedFlag, __ATOMIC_RELAXED);
}

}  // namespace raddle

using namespace raddle;

namespace {

bool is_shared(const pthread_cond_t* cond) { return has_flag(cond, kSharedFlag); }

// Whoever would find the wait too early waits for the mutex first.
int wait_natively(pthread_cond_t* cond, pthread_mutex_t* mutex) {
  NativeWait native(is_shared(cond) ? nullptr : cond);
  native.waits();
  return RADDLE_REAL(pthread_cond_wait)(cond, mutex);
}

clockid_t clock_of(const pthread_cond_t* cond) {
  return has_flag(cond, kMonotonicFlag) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int wait_until(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock, const timespec* time,
               std::uint64_t site) {
  if (time->tv_nsec < 0 || time->tv_nsec >= 1'000'000'000) return EINVAL;
  return wait_on_cond(cond, mutex, deadline_at(clock, *time), site);
}

}  // namespace

RADDLE_EXPORT int pthread_cond_wait(pthread_cond_t* cond, pthread_mutex_t* mutex) {
  if (!controlled()) return wait_natively(cond, mutex);
  RuntimeScope scope;
  return wait_on_cond(cond, mutex, kNoDeadline, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_cond_timedwait(pthread_cond_t* cond, pthread_mutex_t* mutex,
                                         const timespec* time) {
  if (!controlled()) return RADDLE_REAL(pthread_cond_timedwait)(cond, mutex, time);
  RuntimeScope scope;
  return wait_until(cond, mutex, clock_of(cond), time, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex,
                                         clockid_t clock, const timespec* time) {
  if (!controlled()) return RADDLE_REAL(pthread_cond_clockwait)(cond, mutex, clock, time);
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
  RuntimeScope scope;
  return wait_until(cond, mutex, clock, time, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_cond_signal(pthread_cond_t* cond) {
  if (!controlled()) {
    const NativeWake wake(cond);
    return RADDLE_REAL(pthread_cond_signal)(cond);
  }
  RuntimeScope scope;
  signal_cond(cond, RADDLE_SITE);
  return 0;
}

RADDLE_EXPORT int pthread_cond_broadcast(pthread_cond_t* cond) {
  if (!controlled()) {
    const NativeWake wake(cond);
    return RADDLE_REAL(pthread_cond_broadcast)(cond);
  }
  RuntimeScope scope;
  broadcast_cond(cond, RADDLE_SITE);
  return 0;
}

RADDLE_EXPORT int pthread_cond_init(pthread_cond_t* cond, const pthread_condattr_t* attributes) {
  if (!controlled()) return RADDLE_REAL(pthread_cond_init)(cond, attributes);
  RuntimeScope scope;
  Object* object = decide_lifetime(OpKind::init, ObjectClass::cond, cond, RADDLE_SITE);
  int error = RADDLE_REAL(pthread_cond_init)(cond, attributes);
  if (error == 0 && object != nullptr) forget_object(*object);
  return error;
}

RADDLE_EXPORT int pthread_cond_destroy(pthread_cond_t* cond) {
  if (!controlled()) return RADDLE_REAL(pthread_cond_destroy)(cond);
  RuntimeScope scope;
  destroy_cond(cond, RADDLE_SITE);
  return 0;
}
