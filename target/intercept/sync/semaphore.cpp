// Semaphores. The value in the program's memory is the truth: it is changed by glibc's own
// functions, which never block here, so that code which ran before control, and other processes,
// agree with us.
//
// One that is shared with other processes (named, or initialised so) may be posted by them at any
// time: who waits for it is not deadlocked, and looks again now and then.
#include <errno.h>
#include <semaphore.h>
#include <string.h>

#include "protocol/semaphore_flags.hpp"
#include "target/intercept/cancel/cancel.hpp"
#include "target/intercept/sync/native_waits.hpp"
#include "target/intercept/time/clocks.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/scheduler.hpp"
#include "target/sched/telling.hpp"
#include "target/stream/stream.hpp"

namespace {

using namespace raddle;

int value_of(sem_t* sem) {
  int value = 0;
  RADDLE_REAL(sem_getvalue)(sem, &value);
  return value;
}

// glibc keeps this after the 64-bit value: 0 for private ones, a flag of its futex calls otherwise.
bool is_shared(const sem_t* sem) {
  int flag = 0;
  memcpy(&flag, sem->__size + sizeof(std::uint64_t), sizeof(flag));
  return flag != 0;
}

bool is_available(Thread& t) { return value_of(reinterpret_cast<sem_t*>(t.wait_data)) > 0; }

Object& semaphore_object(sem_t* sem, std::uint64_t site) {
  Object& object = object_at(ObjectClass::semaphore, sem, site);
  object.value = value_of(sem);
  return object;
}

void changed(sem_t* sem, Object& object) {
  object.value = value_of(sem);
  refresh(object);
}

// What it counts is the program's own business only as long as no other process posts it.
void tell(EventKind kind, std::uint64_t site, sem_t* sem, Object& object) {
  if (is_shared(sem)) return note(kind, site, sem);
  const int value = value_of(sem);
  note(kind, site, sem, static_cast<std::uint64_t>(value), kSemaphore);
  tell_semaphore(object, kind == EventKind::await, value);
}

int wait_natively(sem_t* sem) {
  NativeWait native(is_shared(sem) ? nullptr : sem);
  if (native.listened() && value_of(sem) == 0) native.waits();
  return RADDLE_REAL(sem_wait)(sem);
}

int fail(int error) {
  errno = error;
  return -1;
}

int wait_until(sem_t* sem, std::uint64_t deadline, std::uint64_t site) {
  Object& object = semaphore_object(sem, site);
  bool shared = is_shared(sem);
  for (;;) {
    StepOutcome outcome = wait({.op = OpKind::sem_wait,
                                .object = &object,
                                .ready = is_available,
                                .data = reinterpret_cast<std::int64_t>(sem),
                                .deadline = deadline,
                                .interruptible = true,
                                .cancellable = true,
                                .polled = shared,
                                .external = shared,
                                .site = site});
    switch (outcome) {
      case StepOutcome::kReady:
        // It fails only when another process was faster.
        if (RADDLE_REAL(sem_trywait)(sem) != 0) continue;
        changed(sem, object);
        tell(EventKind::await, site, sem, object);
        return 0;
      case StepOutcome::kTimeout:
        return fail(ETIMEDOUT);
      case StepOutcome::kInterrupted:
        return fail(EINTR);
      case StepOutcome::kCancelled:
        cancel_now();
    }
  }
}

}  // namespace

RADDLE_EXPORT int sem_init(sem_t* sem, int shared, unsigned value) noexcept {
  if (!controlled()) return RADDLE_REAL(sem_init)(sem, shared, value);
  RuntimeScope scope;
  Object* object = decide_lifetime(OpKind::init, ObjectClass::semaphore, sem, RADDLE_SITE);
  int result = RADDLE_REAL(sem_init)(sem, shared, value);
  if (result == 0 && object != nullptr) forget_object(*object);
  return result;
}

RADDLE_EXPORT int sem_destroy(sem_t* sem) noexcept {
  if (!controlled()) return RADDLE_REAL(sem_destroy)(sem);
  RuntimeScope scope;
  if (Object* object = decide_lifetime(OpKind::destroy, ObjectClass::semaphore, sem, RADDLE_SITE)) {
    if (object->waiters_head != nullptr) {
      report_misuse(OpKind::destroy, *object, RADDLE_SITE,
                    "destroys a semaphore that a thread waits on");
    }
    forget_object(*object);
    note(EventKind::destroy, RADDLE_SITE, sem);
  }
  return RADDLE_REAL(sem_destroy)(sem);
}

RADDLE_EXPORT int sem_wait(sem_t* sem) {
  if (!controlled()) return wait_natively(sem);
  RuntimeScope scope;
  return wait_until(sem, kNoDeadline, RADDLE_SITE);
}

RADDLE_EXPORT int sem_timedwait(sem_t* __restrict sem, const timespec* __restrict time) {
  if (!controlled()) return RADDLE_REAL(sem_timedwait)(sem, time);
  RuntimeScope scope;
  if (!valid_nanoseconds(*time)) return fail(EINVAL);
  return wait_until(sem, deadline_at(CLOCK_REALTIME, *time), RADDLE_SITE);
}

RADDLE_EXPORT int sem_clockwait(sem_t* __restrict sem, clockid_t clock,
                                const timespec* __restrict time) {
  if (!controlled()) return RADDLE_REAL(sem_clockwait)(sem, clock, time);
  RuntimeScope scope;
  if (!is_wait_clock(clock) || !valid_nanoseconds(*time)) return fail(EINVAL);
  return wait_until(sem, deadline_at(clock, *time), RADDLE_SITE);
}

RADDLE_EXPORT int sem_trywait(sem_t* sem) noexcept {
  if (!controlled()) return RADDLE_REAL(sem_trywait)(sem);
  RuntimeScope scope;
  Object& object = semaphore_object(sem, RADDLE_SITE);
  decide(OpKind::sem_trywait, &object, RADDLE_SITE);
  int result = RADDLE_REAL(sem_trywait)(sem);
  if (result != 0) return result;
  changed(sem, object);
  tell(EventKind::await, RADDLE_SITE, sem, object);
  return result;
}

RADDLE_EXPORT int sem_post(sem_t* sem) noexcept {
  if (!controlled()) {
    const NativeWake wake(sem);
    return RADDLE_REAL(sem_post)(sem);
  }
  RuntimeScope scope;
  Object& object = semaphore_object(sem, RADDLE_SITE);
  decide(OpKind::sem_post, &object, RADDLE_SITE);
  judge_again(sem);
  int result = RADDLE_REAL(sem_post)(sem);
  if (result != 0) return result;
  changed(sem, object);
  tell(EventKind::signal, RADDLE_SITE, sem, object);
  let_others(RADDLE_SITE);
  return result;
}
