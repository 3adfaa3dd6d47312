// Spinlocks. The word in the program's memory is the truth, as glibc uses it on x86-64: 1 is free,
// anything below is taken. The Object knows who took it. A thread that would spin waits instead.
#include <errno.h>
#include <pthread.h>

#include "target/outcome/outcome.hpp"
#include "target/sched/scheduler.hpp"
#include "target/stream/stream.hpp"

namespace {

using namespace raddle;

constexpr int kFree = 1;
constexpr int kTaken = 0;

const void* address_of(pthread_spinlock_t* lock) { return const_cast<int*>(lock); }

bool is_free(const pthread_spinlock_t* lock) { return *lock > kTaken; }
bool may_take(Thread& t) { return is_free(reinterpret_cast<pthread_spinlock_t*>(t.wait_data)); }

Object& spinlock_object(pthread_spinlock_t* lock, std::uint64_t site) {
  Object& object = object_at(ObjectClass::spinlock, address_of(lock), site);
  if (object.owner != nullptr && is_free(lock)) forget_object(object);
  return object;
}

void set(pthread_spinlock_t* lock, Object& object, Thread* owner) {
  *lock = owner != nullptr ? kTaken : kFree;
  object.owner = owner;
  refresh(object);
}

}  // namespace

RADDLE_EXPORT int pthread_spin_init(pthread_spinlock_t* lock, int shared) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_spin_init)(lock, shared);
  RuntimeScope scope;
  Object* object =
      decide_lifetime(OpKind::init, ObjectClass::spinlock, address_of(lock), RADDLE_SITE);
  int error = RADDLE_REAL(pthread_spin_init)(lock, shared);
  if (error == 0 && object != nullptr) forget_object(*object);
  return error;
}

RADDLE_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_spin_lock)(lock);
  RuntimeScope scope;
  Object& object = spinlock_object(lock, RADDLE_SITE);
  wait({.op = OpKind::spin_lock,
        .object = &object,
        .ready = may_take,
        .data = reinterpret_cast<std::int64_t>(lock),
        .site = RADDLE_SITE});
  set(lock, object, &self());
  lock_changed(object, true);
  note(EventKind::acquire, RADDLE_SITE, address_of(lock), 1);
  return 0;
}

RADDLE_EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_spin_trylock)(lock);
  RuntimeScope scope;
  Object& object = spinlock_object(lock, RADDLE_SITE);
  decide(OpKind::spin_trylock, &object, RADDLE_SITE);
  if (!is_free(lock)) return EBUSY;
  set(lock, object, &self());
  lock_changed(object, true);
  note(EventKind::acquire, RADDLE_SITE, address_of(lock), 1, kTry);
  return 0;
}

RADDLE_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_spin_unlock)(lock);
  RuntimeScope scope;
  Object& object = spinlock_object(lock, RADDLE_SITE);
  decide(OpKind::spin_unlock, &object, RADDLE_SITE);
  if (is_free(lock)) {
    report_misuse(OpKind::spin_unlock, object, RADDLE_SITE, "unlocks a spinlock that nobody holds");
  } else if (object.owner != nullptr && object.owner != &self()) {
    report_misuse(OpKind::spin_unlock, object, RADDLE_SITE,
                  "unlocks a spinlock that another thread holds");
  }
  if (object.owner == &self()) {
    lock_changed(object, false);
    note(EventKind::release, RADDLE_SITE, address_of(lock), 0);
  }
  set(lock, object, nullptr);
  let_others(RADDLE_SITE);
  return 0;
}

RADDLE_EXPORT int pthread_spin_destroy(pthread_spinlock_t* lock) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_spin_destroy)(lock);
  RuntimeScope scope;
  if (Object* object =
          decide_lifetime(OpKind::destroy, ObjectClass::spinlock, address_of(lock), RADDLE_SITE)) {
    if (object->owner != nullptr && !is_free(lock)) {
      report_misuse(OpKind::destroy, *object, RADDLE_SITE, "destroys a spinlock that is locked");
    }
    forget_object(*object);
    note(EventKind::destroy, RADDLE_SITE, address_of(lock));
  }
  return 0;
}
