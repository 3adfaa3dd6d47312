// pthread_exit, pthread_cancel and kin. Unwinding is glibc's own: the real pthread_exit unwinds the
// stack of the calling fiber and ends at the innermost registered buffer, and the outermost one is
// ours.
#include "target/intercept/cancel/cancel.hpp"

#include <errno.h>
#include <setjmp.h>

#include "target/carrier/glibc.hpp"
#include "target/intercept/cancel/keys.hpp"
#include "target/sched/scheduler.hpp"

// Not declared when the compiler implements pthread_cleanup_push with destructors.
extern "C" int __sigsetjmp(__jmp_buf_tag* env, int savemask) noexcept;

namespace raddle {

void cancel_now() { exit_thread(PTHREAD_CANCELED); }

void exit_thread(void* result) {
  Thread& thread = self();
  thread.result = result;
  thread.exiting = true;
  RuntimeScope::leave();  // clean-up handlers and destructors are program code
  RADDLE_REAL(pthread_exit)(result);
  __builtin_unreachable();
}

void* run_thread_body(Thread& thread, void* (*function)(void*), void* argument) {
  __pthread_unwind_buf_t buffer;
  auto* env = reinterpret_cast<__jmp_buf_tag*>(buffer.__cancel_jmp_buf);
  if (__sigsetjmp(env, 0) == 0) {
    __pthread_register_cancel(&buffer);
    thread.result = function(argument);
    __pthread_unregister_cancel(&buffer);
  }
  return thread.result;
}

void run_thread_destructors() {
  glibc_threads().call_tls_destructors();
  run_key_destructors();
}

}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT void pthread_exit(void* result) {
  if (!controlled()) RADDLE_REAL(pthread_exit)(result);
  RuntimeScope scope;
  exit_thread(result);
}

RADDLE_EXPORT int pthread_cancel(pthread_t handle) {
  if (!controlled()) return RADDLE_REAL(pthread_cancel)(handle);
  RuntimeScope scope;
  Thread* thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  decide(OpKind::cancel, &thread->self, RADDLE_SITE);
  if (thread->finished) return 0;
  thread->cancel_requested = true;
  if (thread == &self()) {
    if (thread->cancel_async && !thread->cancel_disabled) cancel_now();
  } else {
    reconsider(*thread);
  }
  return 0;
}

RADDLE_EXPORT int pthread_setcancelstate(int state, int* old_state) {
  if (!controlled()) return RADDLE_REAL(pthread_setcancelstate)(state, old_state);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  Thread& thread = self();
  if (old_state != nullptr)
    *old_state = thread.cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  thread.cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
  return 0;
}

RADDLE_EXPORT int pthread_setcanceltype(int type, int* old_type) {
  if (!controlled()) return RADDLE_REAL(pthread_setcanceltype)(type, old_type);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  Thread& thread = self();
  if (old_type != nullptr) {
    *old_type = thread.cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  }
  thread.cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  return 0;
}

RADDLE_EXPORT void pthread_testcancel() {
  if (!controlled()) return RADDLE_REAL(pthread_testcancel)();
  Thread& thread = self();
  if (!thread.cancel_requested || thread.cancel_disabled || thread.exiting) return;
  RuntimeScope scope;
  cancel_now();
}
