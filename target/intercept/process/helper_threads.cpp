// Calls for which libc makes threads of its own, with all signals blocked. A read of the
// time-stamp counter must not fault there (base/counter_trap.hpp): not in libc's own code, and not
// in a function of the program that such a thread calls.
#include <aio.h>
#include <mqueue.h>
#include <netdb.h>
#include <signal.h>
#include <time.h>
#include <wordexp.h>

#include "target/base/base.hpp"
#include "target/base/counter_trap.hpp"
#include "target/base/kernel_state.hpp"
#include "target/state/execution.hpp"

using namespace raddle;

#define RADDLE_UNTRAPPED(name, parameters, arguments) \
  RADDLE_EXPORT int name parameters {                 \
    const CounterUntrapped untrapped;                 \
    return RADDLE_REAL(name) arguments;               \
  }
#define RADDLE_UNTRAPPED_NOEXCEPT(name, parameters, arguments) \
  RADDLE_UNTRAPPED(name, parameters noexcept, arguments)

RADDLE_UNTRAPPED_NOEXCEPT(aio_read, (aiocb * request), (request))
RADDLE_UNTRAPPED_NOEXCEPT(aio_write, (aiocb * request), (request))
RADDLE_UNTRAPPED_NOEXCEPT(aio_fsync, (int operation, aiocb* request), (operation, request))
RADDLE_UNTRAPPED_NOEXCEPT(aio_read64, (aiocb64 * request), (request))
RADDLE_UNTRAPPED_NOEXCEPT(aio_write64, (aiocb64 * request), (request))
RADDLE_UNTRAPPED_NOEXCEPT(aio_fsync64, (int operation, aiocb64* request), (operation, request))
RADDLE_UNTRAPPED_NOEXCEPT(lio_listio,
                          (int mode, aiocb* const* requests, int count, sigevent* event),
                          (mode, requests, count, event))
RADDLE_UNTRAPPED_NOEXCEPT(lio_listio64,
                          (int mode, aiocb64* const* requests, int count, sigevent* event),
                          (mode, requests, count, event))
RADDLE_UNTRAPPED(getaddrinfo_a, (int mode, gaicb** requests, int count, sigevent* event),
                 (mode, requests, count, event))
RADDLE_UNTRAPPED_NOEXCEPT(mq_notify, (mqd_t queue, const sigevent* event), (queue, event))
// It starts a shell.
RADDLE_UNTRAPPED(wordexp, (const char* words, wordexp_t* result, int flags), (words, result, flags))

RADDLE_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* timer) noexcept {
  if (g_active) note_kernel_change("it sets a timer");
  const CounterUntrapped untrapped;
  return RADDLE_REAL(timer_create)(clock, event, timer);
}
