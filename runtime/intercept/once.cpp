// pthread_once and C11's call_once. The flag in the program's memory is the truth: 2 means done, as in
// glibc, so that inlined checks and code that ran before control agree with ours.
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "runtime/intercept/call_with_cleanup.h"
#include "runtime/sched/scheduler.hpp"

namespace {

using namespace raddle;

constexpr int kDone = 2;
constexpr int kRunning = 1;

bool may_proceed(Thread& t) {
  const Object& object = *reinterpret_cast<Object*>(t.wait_data);
  return object.owner == nullptr;
}

// The initialiser threw or was cancelled: the next caller tries again.
struct Attempt {
  int* flag;
  Object* object;
  int finished;
};

void end_attempt(void* data) {
  auto* attempt = static_cast<Attempt*>(data);
  g_in_runtime = 1;
  __atomic_store_n(attempt->flag, attempt->finished ? kDone : 0, __ATOMIC_RELEASE);
  attempt->object->owner = nullptr;
  refresh(*attempt->object);
  RuntimeScope::leave();
}

int once(int* flag, void (*initialiser)(), std::uint64_t site) {
  if (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == kDone) return 0;
  g_in_runtime = 1;
  Object& object = object_at(ObjectClass::once, flag, site);
  wait({.op = OpKind::once, .object = &object, .ready = may_proceed,
        .data = reinterpret_cast<std::int64_t>(&object), .site = site});
  if (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == kDone) {
    RuntimeScope::leave();
    return 0;
  }
  object.owner = &self();
  *flag = kRunning;
  refresh(object);
  Attempt attempt{flag, &object, 0};
  RuntimeScope::leave();
  raddle_call_with_cleanup(initialiser, &attempt.finished, end_attempt, &attempt);
  return 0;
}

}  // namespace

RADDLE_EXPORT int pthread_once(pthread_once_t* flag, void (*initialiser)()) {
  if (!controlled()) return RADDLE_REAL(pthread_once)(flag, initialiser);
  return once(flag, initialiser, RADDLE_SITE);
}

RADDLE_EXPORT int __pthread_once(pthread_once_t* flag, void (*initialiser)()) {
  if (!controlled()) return RADDLE_REAL(pthread_once)(flag, initialiser);
  return once(flag, initialiser, RADDLE_SITE);
}

RADDLE_EXPORT void call_once(once_flag* flag, void (*initialiser)()) {
  if (!controlled()) return RADDLE_REAL(call_once)(flag, initialiser);
  once(reinterpret_cast<int*>(flag), initialiser, RADDLE_SITE);
}
