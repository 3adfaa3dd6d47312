// C11 threads. In glibc they are the POSIX ones under other names, down to the layout of mtx_t and
// cnd_t, but libc calls those inside itself where nobody can intercept them: so each has its own
// here.
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "target/control/control.hpp"
#include "target/intercept/cancel/cancel.hpp"
#include "target/intercept/sync/cond.hpp"
#include "target/intercept/sync/mutex.hpp"
#include "target/intercept/threads/thread.hpp"
#include "target/intercept/time/clocks.hpp"
#include "target/intercept/time/sleep.hpp"
#include "target/sched/clock.hpp"

namespace {

using namespace raddle;

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t));
static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t));

pthread_mutex_t* posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* posix(cnd_t* cond) { return reinterpret_cast<pthread_cond_t*>(cond); }

int result_of(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

}  // namespace

RADDLE_EXPORT int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  take_control();
  if (!controlled()) return RADDLE_REAL(thrd_create)(thread, start, argument);
  RuntimeScope scope;
  // Called as a function that returns a pointer, of which thrd_join() takes the lower half: the
  // register is the same.
  auto routine = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(start));
  return result_of(create_thread(thread, nullptr, routine, argument, RADDLE_SITE));
}

RADDLE_EXPORT int thrd_join(thrd_t thread, int* result) {
  if (!controlled()) return RADDLE_REAL(thrd_join)(thread, result);
  RuntimeScope scope;
  void* value = nullptr;
  int error = join_thread(thread, &value, kNoDeadline, RADDLE_SITE);
  if (error == 0 && result != nullptr) *result = int(reinterpret_cast<std::intptr_t>(value));
  return result_of(error);
}

RADDLE_EXPORT int thrd_detach(thrd_t thread) {
  if (!controlled()) return RADDLE_REAL(thrd_detach)(thread);
  RuntimeScope scope;
  return result_of(detach_thread(thread));
}

RADDLE_EXPORT void thrd_exit(int result) {
  if (!controlled()) RADDLE_REAL(thrd_exit)(result);
  RuntimeScope scope;
  exit_thread(reinterpret_cast<void*>(std::intptr_t{result}));
}

RADDLE_EXPORT int thrd_sleep(const timespec* time, timespec* remaining) {
  if (!controlled()) return RADDLE_REAL(thrd_sleep)(time, remaining);
  RuntimeScope scope;
  int error = sleep_on_clock(CLOCK_REALTIME, 0, time, remaining, true, RADDLE_SITE);
  if (error == 0) return 0;
  return error == EINTR ? -1 : -2;
}

RADDLE_EXPORT void thrd_yield() {
  if (!controlled()) return RADDLE_REAL(thrd_yield)();
  RuntimeScope scope;
  decide(OpKind::yield, nullptr, RADDLE_SITE);
}

RADDLE_EXPORT int mtx_init(mtx_t* mutex, int type) {
  if (!controlled()) return RADDLE_REAL(mtx_init)(mutex, type);
  RuntimeScope scope;
  Object* object = decide_lifetime(OpKind::init, ObjectClass::mutex, mutex, RADDLE_SITE);
  int result = RADDLE_REAL(mtx_init)(mutex, type);
  if (result == thrd_success && object != nullptr) forget_object(*object);
  return result;
}

RADDLE_EXPORT void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(posix(mutex)); }

RADDLE_EXPORT int mtx_lock(mtx_t* mutex) {
  if (!controlled()) return RADDLE_REAL(mtx_lock)(mutex);
  RuntimeScope scope;
  return result_of(lock_mutex(posix(mutex), kNoDeadline, RADDLE_SITE));
}

RADDLE_EXPORT int mtx_trylock(mtx_t* mutex) {
  if (!controlled()) return RADDLE_REAL(mtx_trylock)(mutex);
  RuntimeScope scope;
  return result_of(trylock_mutex(posix(mutex), RADDLE_SITE));
}

RADDLE_EXPORT int mtx_timedlock(mtx_t* __restrict mutex, const timespec* __restrict time) {
  if (!controlled()) return RADDLE_REAL(mtx_timedlock)(mutex, time);
  RuntimeScope scope;
  if (!valid_nanoseconds(*time)) return thrd_error;
  return result_of(lock_mutex(posix(mutex), deadline_at(CLOCK_REALTIME, *time), RADDLE_SITE));
}

RADDLE_EXPORT int mtx_unlock(mtx_t* mutex) {
  if (!controlled()) return RADDLE_REAL(mtx_unlock)(mutex);
  RuntimeScope scope;
  return result_of(unlock_mutex(posix(mutex), RADDLE_SITE));
}

RADDLE_EXPORT int cnd_init(cnd_t* cond) {
  if (!controlled()) return RADDLE_REAL(cnd_init)(cond);
  RuntimeScope scope;
  Object* object = decide_lifetime(OpKind::init, ObjectClass::cond, cond, RADDLE_SITE);
  int result = RADDLE_REAL(cnd_init)(cond);
  if (result == thrd_success && object != nullptr) forget_object(*object);
  return result;
}

RADDLE_EXPORT void cnd_destroy(cnd_t* cond) {
  if (!controlled()) return RADDLE_REAL(cnd_destroy)(cond);
  RuntimeScope scope;
  destroy_cond(posix(cond), RADDLE_SITE);
}

RADDLE_EXPORT int cnd_wait(cnd_t* cond, mtx_t* mutex) {
  if (!controlled()) return RADDLE_REAL(cnd_wait)(cond, mutex);
  RuntimeScope scope;
  return result_of(wait_on_cond(posix(cond), posix(mutex), kNoDeadline, RADDLE_SITE));
}

RADDLE_EXPORT int cnd_timedwait(cnd_t* __restrict cond, mtx_t* __restrict mutex,
                                const timespec* __restrict time) {
  if (!controlled()) return RADDLE_REAL(cnd_timedwait)(cond, mutex, time);
  RuntimeScope scope;
  if (!valid_nanoseconds(*time)) return thrd_error;
  std::uint64_t deadline = deadline_at(CLOCK_REALTIME, *time);
  return result_of(wait_on_cond(posix(cond), posix(mutex), deadline, RADDLE_SITE));
}

RADDLE_EXPORT int cnd_signal(cnd_t* cond) {
  if (!controlled()) return RADDLE_REAL(cnd_signal)(cond);
  RuntimeScope scope;
  signal_cond(posix(cond), RADDLE_SITE);
  return thrd_success;
}

RADDLE_EXPORT int cnd_broadcast(cnd_t* cond) {
  if (!controlled()) return RADDLE_REAL(cnd_broadcast)(cond);
  RuntimeScope scope;
  broadcast_cond(posix(cond), RADDLE_SITE);
  return thrd_success;
}

// Through our own keys, which know the destructors to call.
RADDLE_EXPORT int tss_create(tss_t* key, tss_dtor_t destructor) {
  return result_of(pthread_key_create(key, destructor));
}

RADDLE_EXPORT void tss_delete(tss_t key) { pthread_key_delete(key); }
