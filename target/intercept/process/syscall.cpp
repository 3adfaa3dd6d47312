// syscall(): futexes, and the other system calls that have to agree with their intercepted
// functions. Everything else goes to the kernel as it is.
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target/base/counter_trap.hpp"
#include "target/base/kernel_state.hpp"
#include "target/intercept/random/random_source.hpp"
#include "target/intercept/sync/futex.hpp"
#include "target/intercept/threads/thread_attributes.hpp"
#include "target/intercept/time/clocks.hpp"
#include "target/intercept/time/sleep.hpp"
#include "target/sched/scheduler.hpp"
#include "target/signals/signals.hpp"

namespace {

using namespace raddle;

long send_signal(pid_t tid, int signal, std::uint64_t site) {
  Thread* thread = thread_of_tid(tid);
  if (thread == nullptr) return -ESRCH;
  if (signal < 0 || signal > kSignals) return -EINVAL;
  decide(OpKind::signal_send, &thread->self, site);
  if (thread->finished) return -ESRCH;
  send_to_thread(*thread, signal);
  return 0;
}

long read_clock_call(const SystemCall& call) {
  look_at_clock(call.site);
  *call.pointer<timespec>(1) = read_clock(clockid_t(call.arguments[0]));
  return 0;
}

bool modelled(long number, const SystemCall& call, long& result) {
  switch (number) {
    case SYS_futex:
      return futex(call, result);
    case SYS_gettid:
      result = virtual_tid(self());
      return true;
    case SYS_getcpu:
      if (call.arguments[0] != 0) *call.pointer<unsigned>(0) = 0;
      if (call.arguments[1] != 0) *call.pointer<unsigned>(1) = 0;
      result = 0;
      return true;
    case SYS_sched_yield:
      decide(OpKind::yield, nullptr, call.site);
      result = 0;
      return true;
    case SYS_nanosleep:
      result = -sleep_on_clock(CLOCK_REALTIME, 0, call.pointer<const timespec>(0),
                               call.pointer<timespec>(1), false, call.site);
      return true;
    case SYS_clock_nanosleep:
      result = -sleep_on_clock(clockid_t(call.arguments[0]), int(call.arguments[1]),
                               call.pointer<const timespec>(2), call.pointer<timespec>(3), false,
                               call.site);
      return true;
    case SYS_clock_gettime:
      if (!is_virtual_clock(clockid_t(call.arguments[0]))) return false;
      result = read_clock_call(call);
      return true;
    case SYS_getrandom:
      result = get_random(call.pointer<void>(0), std::size_t(call.arguments[1]),
                          unsigned(call.arguments[2]));
      return true;
    case SYS_tgkill:
      if (call.arguments[0] != virtual_tid(thread_by_id(kMainThread))) return false;
      result = send_signal(pid_t(call.arguments[1]), int(call.arguments[2]), call.site);
      return true;
    case SYS_tkill:
      if (thread_of_tid(pid_t(call.arguments[0])) == nullptr) return false;
      result = send_signal(pid_t(call.arguments[0]), int(call.arguments[1]), call.site);
      return true;
    default:
      return false;
  }
}

// Calls that leave nothing in the kernel but memory and descriptors, both of which a process that
// is put back looks after itself.
bool leaves_nothing(long number) {
  switch (number) {
    case SYS_read:
    case SYS_write:
    case SYS_openat:
    case SYS_close:
    case SYS_fstat:
    case SYS_lseek:
    case SYS_getdents64:
    case SYS_memfd_create:
    case SYS_getpid:
    case SYS_getppid:
    case SYS_gettid:
    case SYS_getuid:
    case SYS_getcpu:
    case SYS_futex:
    case SYS_membarrier:
    case SYS_madvise:
    case SYS_sched_yield:
    case SYS_clock_gettime:
    case SYS_getrandom:
      return true;
    default:
      return false;
  }
}

// A program, a process or a thread that is not controlled.
bool starts_something(long number) {
  return number == SYS_execve || number == SYS_execveat || number == SYS_clone ||
         number == SYS_clone3 || number == SYS_fork || number == SYS_vfork;
}

}  // namespace

RADDLE_EXPORT long syscall(long number, ...) noexcept {
  SystemCall call{};
  va_list list;
  va_start(list, number);
  for (long& argument : call.arguments) argument = va_arg(list, long);
  va_end(list);
  const long* a = call.arguments;
  if (controlled()) {
    call.site = RADDLE_SITE;
    RuntimeScope scope;
    long result = 0;
    if (modelled(number, call, result)) {
      if (result >= 0) return result;
      errno = int(-result);
      return -1;
    }
  }
  if (g_active && !leaves_nothing(number))
    note_kernel_change("it makes system calls of its own, with syscall()");
  if (starts_something(number)) {
    const CounterUntrapped untrapped;
    return RADDLE_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  return RADDLE_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
