// Reader-writer locks. The model is in the Object: `owner` writes, `holds` read, `value2` counts
// the writers that wait and keep new readers out. The program's memory mirrors it in glibc's own
// fields, for debuggers, and because a lock whose memory was reused for a new one shows there:
// nobody calls pthread_rwlock_destroy for a std::shared_mutex.
//
// As in glibc, a waiting writer does not keep readers out, unless the lock is of the kind that
// prefers writers. In that kind a writer has not called until it is chosen: its wait is then two
// steps, one to find the lock taken and be counted, one to get it.
#include <errno.h>
#include <pthread.h>

#include "target/base/forgetting.hpp"
#include "target/intercept/time/clocks.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/scheduler.hpp"
#include "target/stream/stream.hpp"

namespace {

using namespace raddle;

// glibc's __readers: a count in the upper bits, "a writer has it" in the lower ones.
constexpr unsigned kWritten = 3;
constexpr unsigned kReaderShift = 3;

RADDLE_FORGOTTEN Hold* g_free_holds;

Object& model_of(Thread& t) { return *reinterpret_cast<Object*>(t.wait_data); }

bool may_read(Thread& t) {
  const Object& object = model_of(t);
  bool prefers_writers = t.wait_data2 != 0;
  return object.owner == nullptr && !(prefers_writers && object.value2 > 0);
}

bool may_write(Thread& t) {
  const Object& object = model_of(t);
  return object.owner == nullptr && object.holds == nullptr;
}

bool prefers_writers(const pthread_rwlock_t* lock) {
  return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

void mirror(pthread_rwlock_t* lock, const Object& object) {
  bool written = object.owner != nullptr;
  lock->__data.__readers = written ? kWritten : object.readers << kReaderShift;
  lock->__data.__cur_writer = written ? raw(object.owner->pending.thread) + 1 : 0;
}

Hold** find_hold(Object& object, const Thread* thread) {
  Hold** link = &object.holds;
  while (*link != nullptr && (*link)->thread != thread) link = &(*link)->next;
  return link;
}

void drop_hold(Object& object, Hold** link) {
  Hold* hold = *link;
  --object.readers;
  if (--hold->count > 0) return;
  *link = hold->next;
  hold->next = g_free_holds;
  g_free_holds = hold;
}

void forget(Object& object) {
  while (object.holds != nullptr) drop_hold(object, &object.holds);
  forget_object(object);
}

}  // namespace

namespace raddle {

namespace {

void release_rwlocks() {
  for (std::uint32_t i = 1; i <= object_count(); ++i) {
    Object& object = object_by_id(ObjectId{i});
    if (object.cls != ObjectClass::rwlock || object.address == 0) continue;
    if (object.owner == nullptr && object.holds == nullptr) continue;
    forget(object);
    mirror(reinterpret_cast<pthread_rwlock_t*>(object.address), object);
  }
}
RADDLE_RELEASES_ABANDONED(release_rwlocks)

}  // namespace

}  // namespace raddle

namespace {

Object& rwlock_object(pthread_rwlock_t* lock, std::uint64_t site) {
  Object& object = object_at(ObjectClass::rwlock, lock, site);
  bool held = object.owner != nullptr || object.holds != nullptr;
  if (held && lock->__data.__readers == 0) forget(object);
  return object;
}

void take_for_reading(pthread_rwlock_t* lock, Object& object, std::uint64_t site,
                      std::uint8_t how = 0) {
  Hold** link = find_hold(object, &self());
  if (*link == nullptr) {
    Hold* hold = g_free_holds;
    if (hold != nullptr) {
      g_free_holds = hold->next;
    } else {
      hold = arena_new<Hold>();
    }
    *hold = {&self(), 0, nullptr};
    *link = hold;
  }
  ++(*link)->count;
  ++object.readers;
  mirror(lock, object);
  refresh(object);
  if ((*link)->count == 1) lock_changed(object, true);
  note(EventKind::acquire, site, lock, (*link)->count, std::uint8_t(kShared | how));
}

void take_for_writing(pthread_rwlock_t* lock, Object& object, std::uint64_t site,
                      std::uint8_t how = 0) {
  object.owner = &self();
  mirror(lock, object);
  refresh(object);
  lock_changed(object, true);
  note(EventKind::acquire, site, lock, 1, how);
}

int lock_for_reading(pthread_rwlock_t* lock, std::uint64_t deadline, std::uint64_t site) {
  Object& object = rwlock_object(lock, site);
  if (object.owner == &self()) return EDEADLK;
  WaitSpec spec{.op = OpKind::rwlock_read,
                .object = &object,
                .ready = may_read,
                .data = reinterpret_cast<std::int64_t>(&object),
                .data2 = prefers_writers(lock),
                .deadline = deadline,
                .site = site};
  if (wait(spec) == StepOutcome::kTimeout) return ETIMEDOUT;
  take_for_reading(lock, object, site);
  return 0;
}

int lock_for_writing(pthread_rwlock_t* lock, std::uint64_t deadline, std::uint64_t site) {
  Object& object = rwlock_object(lock, site);
  if (object.owner == &self()) return EDEADLK;
  // A writer with a deadline is not counted: a reader that it keeps out could still get in when it
  // gives up, and would look like a part of a deadlock.
  bool counted = false;
  if (prefers_writers(lock) && deadline == kNoDeadline) {
    decide(OpKind::rwlock_write, &object, site, kCallsAsWriter);
    if (object.owner == nullptr && object.holds == nullptr) {
      take_for_writing(lock, object, site);
      return 0;
    }
    counted = true;
    ++object.value2;
    refresh(object);
  }
  StepOutcome outcome = wait({.op = OpKind::rwlock_write,
                              .object = &object,
                              .ready = may_write,
                              .data = reinterpret_cast<std::int64_t>(&object),
                              .deadline = deadline,
                              .site = site});
  if (counted && object.value2 > 0) --object.value2;  // 0: its memory was freed under our feet
  if (outcome == StepOutcome::kTimeout) return ETIMEDOUT;
  take_for_writing(lock, object, site);
  return 0;
}

int unlock(pthread_rwlock_t* lock, std::uint64_t site) {
  Object& object = rwlock_object(lock, site);
  const bool shared = object.owner == nullptr && *find_hold(object, &self()) != nullptr;
  decide(OpKind::rwlock_unlock, &object, site, shared ? kUnlocksShare : 0);
  Hold** mine = find_hold(object, &self());
  if (object.owner == &self()) {
    lock_changed(object, false);
    note(EventKind::release, site, lock, 0);
    object.owner = nullptr;
  } else if (*mine != nullptr) {
    if ((*mine)->count == 1) lock_changed(object, false);
    note(EventKind::release, site, lock, (*mine)->count - 1, kShared);
    drop_hold(object, mine);
  } else if (object.owner == nullptr && object.holds == nullptr) {
    report_misuse(OpKind::rwlock_unlock, object, site,
                  holder_when_freed(lock) == &self()
                      ? "unlocks a rwlock whose memory was freed while it held it"
                      : "unlocks a rwlock that nobody holds");
    return 0;
  } else {
    // As glibc, which does not know its readers by name: somebody's hold ends.
    report_misuse(OpKind::rwlock_unlock, object, site, "unlocks a rwlock that it does not hold");
    if (object.owner != nullptr) {
      object.owner = nullptr;
    } else {
      drop_hold(object, &object.holds);
    }
  }
  mirror(lock, object);
  refresh(object);
  let_others(site);
  return 0;
}

using Lock = int (*)(pthread_rwlock_t*, std::uint64_t deadline, std::uint64_t site);

int lock_until(Lock lock_it, pthread_rwlock_t* lock, clockid_t clock, const timespec* time,
               std::uint64_t site) {
  if (!is_wait_clock(clock) || !valid_nanoseconds(*time)) return EINVAL;
  return lock_it(lock, deadline_at(clock, *time), site);
}

}  // namespace

RADDLE_EXPORT int pthread_rwlock_init(pthread_rwlock_t* lock,
                                      const pthread_rwlockattr_t* attributes) {
  if (!controlled()) return RADDLE_REAL(pthread_rwlock_init)(lock, attributes);
  RuntimeScope scope;
  Object* object = decide_lifetime(OpKind::init, ObjectClass::rwlock, lock, RADDLE_SITE);
  int error = RADDLE_REAL(pthread_rwlock_init)(lock, attributes);
  if (error == 0 && object != nullptr) forget(*object);
  return error;
}

RADDLE_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  if (!controlled()) return RADDLE_REAL(pthread_rwlock_destroy)(lock);
  RuntimeScope scope;
  if (decide_lifetime(OpKind::destroy, ObjectClass::rwlock, lock, RADDLE_SITE) == nullptr) return 0;
  Object& object = rwlock_object(lock, RADDLE_SITE);
  if (object.owner != nullptr || object.holds != nullptr) {
    report_misuse(OpKind::destroy, object, RADDLE_SITE, "destroys a rwlock that is locked");
  }
  forget(object);
  note(EventKind::destroy, RADDLE_SITE, lock);
  return 0;
}

RADDLE_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  if (!controlled()) return RADDLE_REAL(pthread_rwlock_rdlock)(lock);
  RuntimeScope scope;
  return lock_for_reading(lock, kNoDeadline, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  if (!controlled()) return RADDLE_REAL(pthread_rwlock_tryrdlock)(lock);
  RuntimeScope scope;
  Object& object = rwlock_object(lock, RADDLE_SITE);
  decide(OpKind::rwlock_tryread, &object, RADDLE_SITE);
  if (object.owner != nullptr || (prefers_writers(lock) && object.value2 > 0)) return EBUSY;
  take_for_reading(lock, object, RADDLE_SITE, kTry);
  return 0;
}

RADDLE_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) {
  if (!controlled()) return RADDLE_REAL(pthread_rwlock_timedrdlock)(lock, time);
  RuntimeScope scope;
  return lock_until(lock_for_reading, lock, CLOCK_REALTIME, time, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) {
  if (!controlled()) return RADDLE_REAL(pthread_rwlock_clockrdlock)(lock, clock, time);
  RuntimeScope scope;
  return lock_until(lock_for_reading, lock, clock, time, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  if (!controlled()) return RADDLE_REAL(pthread_rwlock_wrlock)(lock);
  RuntimeScope scope;
  return lock_for_writing(lock, kNoDeadline, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  if (!controlled()) return RADDLE_REAL(pthread_rwlock_trywrlock)(lock);
  RuntimeScope scope;
  Object& object = rwlock_object(lock, RADDLE_SITE);
  decide(OpKind::rwlock_trywrite, &object, RADDLE_SITE);
  if (object.owner != nullptr || object.holds != nullptr) return EBUSY;
  take_for_writing(lock, object, RADDLE_SITE, kTry);
  return 0;
}

RADDLE_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) {
  if (!controlled()) return RADDLE_REAL(pthread_rwlock_timedwrlock)(lock, time);
  RuntimeScope scope;
  return lock_until(lock_for_writing, lock, CLOCK_REALTIME, time, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) {
  if (!controlled()) return RADDLE_REAL(pthread_rwlock_clockwrlock)(lock, clock, time);
  RuntimeScope scope;
  return lock_until(lock_for_writing, lock, clock, time, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (!controlled()) return RADDLE_REAL(pthread_rwlock_unlock)(lock);
  RuntimeScope scope;
  return unlock(lock, RADDLE_SITE);
}

// Older names that libraries still call: the same functions.
#define RADDLE_OLD_NAME(name, ...) \
  RADDLE_EXPORT int __##name(__VA_ARGS__) noexcept __attribute__((alias(#name), nonnull(1)))
RADDLE_OLD_NAME(pthread_rwlock_init, pthread_rwlock_t*, const pthread_rwlockattr_t*);
RADDLE_OLD_NAME(pthread_rwlock_destroy, pthread_rwlock_t*);
RADDLE_OLD_NAME(pthread_rwlock_rdlock, pthread_rwlock_t*);
RADDLE_OLD_NAME(pthread_rwlock_tryrdlock, pthread_rwlock_t*);
RADDLE_OLD_NAME(pthread_rwlock_wrlock, pthread_rwlock_t*);
RADDLE_OLD_NAME(pthread_rwlock_trywrlock, pthread_rwlock_t*);
RADDLE_OLD_NAME(pthread_rwlock_unlock, pthread_rwlock_t*);
#undef RADDLE_OLD_NAME
