// Calls that wait for a signal: sigwait and kin take one, pause and sigsuspend wait for a handler.
// Anybody may send one, so these waits are external; no descriptor shows it, so the kernel is asked
// now and then.
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target/intercept/cancel/cancel.hpp"
#include "target/intercept/io/io_wait.hpp"
#include "target/sched/clock.hpp"
#include "target/signals/signal_queue.hpp"
#include "target/signals/signal_state.hpp"

namespace raddle {
namespace {

bool handler_ran(Thread& t) { return t.handlers_run != std::uint32_t(t.wait_data2); }

// The signal's number, or a negative errno: EAGAIN at the deadline, EINTR after a handler.
int wait_for_signal(const sigset_t& wanted, siginfo_t* info, std::uint64_t deadline,
                    std::uint64_t site) {
  std::uint64_t set = signal_bits(wanted) & ~kReservedSignals;
  Thread& t = self();
  std::uint32_t handlers = t.handlers_run;
  for (;;) {
    StepOutcome outcome = wait({.op = OpKind::signal_wait,
                                .ready = sigwait_ready,
                                .data = std::int64_t(set),
                                .data2 = handlers,
                                .deadline = deadline,
                                .cancellable = true,
                                .polled = true,
                                .external = true,
                                .site = site});
    if (outcome == StepOutcome::kCancelled) cancel_now();
    if (int signal = take_pending(set, info)) return signal;
    if (outcome == StepOutcome::kTimeout) return -EAGAIN;
    if (t.handlers_run != handlers) return -EINTR;
  }
}

int wait_for_handler(std::uint64_t site) {
  StepOutcome outcome = wait({.op = OpKind::signal_wait,
                              .ready = handler_ran,
                              .data2 = self().handlers_run,
                              .cancellable = true,
                              .polled = true,
                              .external = true,
                              .site = site});
  if (outcome == StepOutcome::kCancelled) cancel_now();
  return EINTR;
}

int suspend(const sigset_t* mask, std::uint64_t site) {
  TemporaryMask temporary(mask);
  int error = wait_for_handler(site);
  temporary.restore();
  errno = error;
  return -1;
}

}  // namespace
}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT int sigwait(const sigset_t* set, int* signal) {
  if (!controlled()) return RADDLE_REAL(sigwait)(set, signal);
  RuntimeScope scope;
  int result;
  do {
    result = wait_for_signal(*set, nullptr, kNoDeadline, RADDLE_SITE);
  } while (result == -EINTR);
  if (result < 0) return -result;
  *signal = result;
  return 0;
}

RADDLE_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!controlled()) return RADDLE_REAL(sigwaitinfo)(set, info);
  RuntimeScope scope;
  return int(with_errno(wait_for_signal(*set, info, kNoDeadline, RADDLE_SITE)));
}

RADDLE_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  if (!controlled()) return RADDLE_REAL(sigtimedwait)(set, info, timeout);
  RuntimeScope scope;
  if (timeout == nullptr)
    return int(with_errno(wait_for_signal(*set, info, kNoDeadline, RADDLE_SITE)));
  if (timeout->tv_nsec < 0 || timeout->tv_nsec >= 1'000'000'000 || timeout->tv_sec < 0) {
    return int(with_errno(-EINVAL));
  }
  return int(with_errno(wait_for_signal(*set, info, deadline_after(*timeout), RADDLE_SITE)));
}

RADDLE_EXPORT int pause() {
  if (!controlled()) return RADDLE_REAL(pause)();
  RuntimeScope scope;
  return suspend(nullptr, RADDLE_SITE);
}

RADDLE_EXPORT int sigsuspend(const sigset_t* mask) {
  if (!controlled()) return RADDLE_REAL(sigsuspend)(mask);
  RuntimeScope scope;
  return suspend(mask, RADDLE_SITE);
}
