// Mutexes. The model is in the Object: owner and depth. The program's memory mirrors it in glibc's
// own fields, for debuggers, and because a mutex whose memory was reused for a new one shows there:
// nobody calls pthread_mutex_destroy for a std::mutex.
#include "target/intercept/sync/mutex.hpp"

#include <errno.h>

#include "target/base/forgetting.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/decision.hpp"
#include "target/stream/stream.hpp"

namespace raddle {
namespace {

// Object::flags
constexpr std::uint32_t kOwnerDead = 1;
constexpr std::uint32_t kNotRecoverable = 2;
constexpr std::uint32_t kRobust = 4;  // so that the memory need not be read when its holder ends

constexpr int kDestroyed = -1;  // __kind, as glibc writes it
constexpr int kTypeMask = 3;
constexpr int kRobustBit = 16;

int type_of(const pthread_mutex_t* mutex) { return mutex->__data.__kind & kTypeMask; }
bool is_robust(const pthread_mutex_t* mutex) { return (mutex->__data.__kind & kRobustBit) != 0; }

bool is_free(Thread& t) { return t.waits_for == nullptr || t.waits_for->owner == nullptr; }

__attribute__((always_inline)) inline void mirror_held(pthread_mutex_t* mutex, const Thread& owner,
                                                       std::uint32_t count) {
  auto& data = mutex->__data;
  data.__lock = 1;
  data.__owner = raw(owner.pending.thread) + 1;
  data.__nusers = 1;
  data.__count = count;
}

__attribute__((always_inline)) inline void mirror_free(pthread_mutex_t* mutex) {
  auto& data = mutex->__data;
  data.__lock = data.__owner = 0;
  data.__nusers = data.__count = 0;
}

__attribute__((always_inline)) inline void mirror(pthread_mutex_t* mutex, const Object& object) {
  if (object.owner != nullptr) {
    mirror_held(mutex, *object.owner, type_of(mutex) == PTHREAD_MUTEX_RECURSIVE ? object.depth : 0);
  } else {
    mirror_free(mutex);
  }
}

// Neither recursive nor robust nor destroyed, and no holder of it ever died: most are. What is
// asked below for the others is then answered.
bool is_plain(const pthread_mutex_t* mutex, const Object& object) {
  return mutex->__data.__kind == PTHREAD_MUTEX_TIMED_NP && object.flags == 0;
}

__attribute__((always_inline)) inline int take(pthread_mutex_t* mutex, Object& object,
                                               std::uint64_t site, std::uint8_t how = 0) {
  Thread& t = self();
  const bool special = __builtin_expect(!is_plain(mutex, object), 0);
  if (special && (object.flags & kNotRecoverable) != 0) return ENOTRECOVERABLE;
  object.owner = &t;
  object.depth = 1;
  if (special && is_robust(mutex)) {
    object.flags |= kRobust;
    t.holds_robust = true;
  }
  mirror_held(mutex, t, special && type_of(mutex) == PTHREAD_MUTEX_RECURSIVE ? 1 : 0);
  refresh_for(object, is_free, false);
  lock_changed(object, true);
  note(EventKind::acquire, site, mutex, 1, how);
  return special && (object.flags & kOwnerDead) != 0 ? EOWNERDEAD : 0;
}

__attribute__((always_inline)) inline void give_up(pthread_mutex_t* mutex, Object& object) {
  if (__builtin_expect((object.flags & kOwnerDead) != 0, 0) && is_robust(mutex)) {
    object.flags = (object.flags & ~kOwnerDead) | kNotRecoverable;
  }
  if (object.owner == &self()) lock_changed(object, false);
  object.owner = nullptr;
  object.depth = 0;
  mirror_free(mutex);
  refresh_for(object, is_free, true);
}

int refuse(const pthread_mutex_t* mutex, Object& object, std::uint64_t site) {
  report_misuse(OpKind::mutex_lock, object, site, "locks a mutex that was destroyed", mutex);
  return EINVAL;
}

}  // namespace

// Inline here, as the rest of the way to a decision: see sched/decision.hpp.
__attribute__((always_inline)) inline Object& object_of(pthread_mutex_t* mutex,
                                                        std::uint64_t site) {
  Object& object = object_at(ObjectClass::mutex, mutex, site);
  if (object.owner != nullptr && mutex->__data.__lock == 0) forget_object(object);
  return object;
}

Object& mutex_object(pthread_mutex_t* mutex, std::uint64_t site) { return object_of(mutex, site); }

__attribute__((always_inline)) inline int lock_mutex_inline(pthread_mutex_t* mutex,
                                                            std::uint64_t deadline,
                                                            std::uint64_t site,
                                                            std::uint8_t how = 0) {
  Object& object = object_of(mutex, site);
  if (object.owner == &self()) {
    if (type_of(mutex) == PTHREAD_MUTEX_RECURSIVE) {
      ++object.depth;
      mirror(mutex, object);
      note(EventKind::acquire, site, mutex, object.depth, how);
      return 0;
    }
    if (type_of(mutex) == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  }
  if (deadline == kNoDeadline) {
    wait_for_inline(OpKind::mutex_lock, object, is_free, site);
  } else {
    WaitSpec spec{.op = OpKind::mutex_lock,
                  .object = &object,
                  .ready = is_free,
                  .deadline = deadline,
                  .site = site};
    if (wait(spec) == StepOutcome::kTimeout) return ETIMEDOUT;
  }
  if (__builtin_expect(mutex->__data.__kind == kDestroyed, 0)) return refuse(mutex, object, site);
  return take(mutex, object, site, how);
}

int lock_mutex(pthread_mutex_t* mutex, std::uint64_t deadline, std::uint64_t site,
               std::uint8_t how) {
  return lock_mutex_inline(mutex, deadline, site, how);
}

int trylock_mutex(pthread_mutex_t* mutex, std::uint64_t site) {
  Object& object = mutex_object(mutex, site);
  decide(OpKind::mutex_trylock, &object, site);
  if (mutex->__data.__kind == kDestroyed) return refuse(mutex, object, site);
  if (object.owner == &self() && type_of(mutex) == PTHREAD_MUTEX_RECURSIVE) {
    ++object.depth;
    mirror(mutex, object);
    note(EventKind::acquire, site, mutex, object.depth);
    return 0;
  }
  return object.owner != nullptr ? EBUSY : take(mutex, object, site, kTry);
}

// The object is that of the mutex.
__attribute__((always_inline)) inline int release_object(pthread_mutex_t* mutex, Object& object,
                                                         OpKind op, std::uint64_t site,
                                                         std::uint8_t how) {
  if (__builtin_expect(object.owner != &self(), 0)) {
    report_misuse(op, object, site,
                  object.owner != nullptr ? "unlocks a mutex that another thread holds"
                  : holder_when_freed(mutex) == &self()
                      ? "unlocks a mutex whose memory was freed while it held it"
                      : "unlocks a mutex that nobody holds");
    bool checked = type_of(mutex) == PTHREAD_MUTEX_RECURSIVE ||
                   type_of(mutex) == PTHREAD_MUTEX_ERRORCHECK || is_robust(mutex);
    if (checked) return EPERM;
    give_up(mutex, object);
    return 0;
  }
  if (__builtin_expect(object.depth > 1, 0)) {
    --object.depth;
    mirror(mutex, object);
    note(EventKind::release, site, mutex, object.depth, how);
    return 0;
  }
  note(EventKind::release, site, mutex, 0, how);
  give_up(mutex, object);
  return 0;
}

int release_mutex(pthread_mutex_t* mutex, OpKind op, std::uint64_t site, std::uint8_t how) {
  return release_object(mutex, object_of(mutex, site), op, site, how);
}

__attribute__((always_inline)) inline int unlock_mutex_inline(pthread_mutex_t* mutex,
                                                              std::uint64_t site) {
  Object& object = object_of(mutex, site);
  // Only the outermost unlock of a recursive mutex is visible to anybody else.
  const bool visible = __builtin_expect(object.owner != &self() || object.depth <= 1, 1);
  if (visible) {
    decide_inline(OpKind::mutex_unlock, &object, site);
    judge_again(mutex);
  }
  // An object that still has its address is still that of the mutex: nobody gave the memory up.
  const bool same = object.address == reinterpret_cast<std::uintptr_t>(mutex) &&
                    object.owner == &self() && mutex->__data.__lock != 0;
  Object& now = __builtin_expect(same, 1) ? object : object_of(mutex, site);
  const int error = release_object(mutex, now, OpKind::mutex_unlock, site, 0);
  if (visible) let_others(site);
  return error;
}

int unlock_mutex(pthread_mutex_t* mutex, std::uint64_t site) {
  return unlock_mutex_inline(mutex, site);
}

namespace {

void release_mutexes() {
  for (std::uint32_t i = 1; i <= object_count(); ++i) {
    Object& object = object_by_id(ObjectId{i});
    if (object.cls != ObjectClass::mutex || object.address == 0 || object.owner == nullptr)
      continue;
    forget_object(object);
    mirror(reinterpret_cast<pthread_mutex_t*>(object.address), object);
  }
}
RADDLE_RELEASES_ABANDONED(release_mutexes)

}  // namespace

void abandon_robust_mutexes(Thread& thread) {
  if (!thread.holds_robust) return;
  for (std::uint32_t i = 1; i <= object_count(); ++i) {
    Object& object = object_by_id(ObjectId{i});
    if (object.cls != ObjectClass::mutex || object.owner != &thread ||
        (object.flags & kRobust) == 0)
      continue;
    auto* mutex = reinterpret_cast<pthread_mutex_t*>(object.address);
    if ((object.flags & kOwnerDead) != 0) {
      give_up(mutex, object);
      continue;
    }
    object.flags |= kOwnerDead;
    object.owner = nullptr;
    object.depth = 0;
    mirror(mutex, object);
    refresh(object);
  }
}

}  // namespace raddle

using namespace raddle;

namespace {

bool valid(const timespec* time) { return time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000; }

int lock_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* time, std::uint64_t site) {
  if (!valid(time)) {
    // As glibc: a bad time matters only when the call would have to wait.
    Object& object = mutex_object(mutex, site);
    if (object.owner != nullptr && object.owner != &self()) return EINVAL;
    return lock_mutex(mutex, 0, site);
  }
  return lock_mutex(mutex, deadline_at(clock, *time), site);
}

}  // namespace

RADDLE_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex,
                                     const pthread_mutexattr_t* attributes) {
  if (!controlled()) return RADDLE_REAL(pthread_mutex_init)(mutex, attributes);
  RuntimeScope scope;
  Object* object = decide_lifetime(OpKind::init, ObjectClass::mutex, mutex, RADDLE_SITE);
  int error = RADDLE_REAL(pthread_mutex_init)(mutex, attributes);
  if (error == 0 && object != nullptr) forget_object(*object);
  return error;
}

RADDLE_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  if (!controlled()) return RADDLE_REAL(pthread_mutex_destroy)(mutex);
  RuntimeScope scope;
  if (Object* object = decide_lifetime(OpKind::destroy, ObjectClass::mutex, mutex, RADDLE_SITE)) {
    if (mutex_object(mutex, RADDLE_SITE).owner != nullptr && !is_robust(mutex)) {
      report_misuse(OpKind::destroy, *object, RADDLE_SITE, "destroys a mutex that is locked");
      return EBUSY;
    }
    forget_object(*object);
    note(EventKind::destroy, RADDLE_SITE, mutex);
  }
  mutex->__data.__kind = kDestroyed;
  return 0;
}

RADDLE_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (!controlled()) return RADDLE_REAL(pthread_mutex_lock)(mutex);
  RuntimeScope scope;
  return lock_mutex_inline(mutex, kNoDeadline, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (!controlled()) return RADDLE_REAL(pthread_mutex_trylock)(mutex);
  RuntimeScope scope;
  return trylock_mutex(mutex, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  if (!controlled()) return RADDLE_REAL(pthread_mutex_timedlock)(mutex, time);
  RuntimeScope scope;
  return lock_until(mutex, CLOCK_REALTIME, time, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                          const timespec* time) {
  if (!controlled()) return RADDLE_REAL(pthread_mutex_clocklock)(mutex, clock, time);
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
  RuntimeScope scope;
  return lock_until(mutex, clock, time, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (!controlled()) return RADDLE_REAL(pthread_mutex_unlock)(mutex);
  RuntimeScope scope;
  return unlock_mutex_inline(mutex, RADDLE_SITE);
}

RADDLE_EXPORT int pthread_mutex_consistent(pthread_mutex_t* mutex) {
  if (!controlled()) return RADDLE_REAL(pthread_mutex_consistent)(mutex);
  RuntimeScope scope;
  Object& object = mutex_object(mutex, RADDLE_SITE);
  if (!is_robust(mutex) || (object.flags & kOwnerDead) == 0) return EINVAL;
  object.flags &= ~kOwnerDead;
  return 0;
}

// Older names that libraries still call.
RADDLE_EXPORT int __pthread_mutex_init(pthread_mutex_t* mutex,
                                       const pthread_mutexattr_t* attributes) {
  return pthread_mutex_init(mutex, attributes);
}
RADDLE_EXPORT int __pthread_mutex_destroy(pthread_mutex_t* mutex) {
  return pthread_mutex_destroy(mutex);
}
RADDLE_EXPORT int __pthread_mutex_lock(pthread_mutex_t* mutex) { return pthread_mutex_lock(mutex); }
RADDLE_EXPORT int __pthread_mutex_trylock(pthread_mutex_t* mutex) {
  return pthread_mutex_trylock(mutex);
}
RADDLE_EXPORT int __pthread_mutex_unlock(pthread_mutex_t* mutex) {
  return pthread_mutex_unlock(mutex);
}
