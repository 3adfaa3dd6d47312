// Sleeps cost nothing: a thread that sleeps waits for virtual time, which jumps to the next
// deadline when nothing else can move. And yields.
#include "target/intercept/time/sleep.hpp"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "target/intercept/cancel/cancel.hpp"
#include "target/intercept/time/clocks.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/scheduler.hpp"

namespace raddle {
namespace {

// What the kernel says of a sleep on this clock.
int error_of_clock(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_MONOTONIC:
    case CLOCK_BOOTTIME:
    case CLOCK_TAI:
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_BOOTTIME_ALARM:
      return 0;
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC_COARSE:
      return ENOTSUP;
    case CLOCK_THREAD_CPUTIME_ID:
      return EINVAL;
    default:  // negative: CPU time of a process or thread
      return clock < 0 && is_virtual_clock(clock) ? 0 : EINVAL;
  }
}

timespec time_left(std::uint64_t deadline) {
  std::uint64_t now = virtual_now();
  std::uint64_t left = deadline > now ? deadline - now : 0;
  return {time_t(left / 1'000'000'000), long(left % 1'000'000'000)};
}

}  // namespace

int sleep_on_clock(clockid_t clock, int flags, const timespec* time, timespec* remaining,
                   bool cancellable, std::uint64_t site) {
  if (int error = error_of_clock(clock)) return error;
  if (time->tv_sec < 0 || !valid_nanoseconds(*time)) return EINVAL;
  bool absolute = (flags & TIMER_ABSTIME) != 0;
  std::uint64_t deadline = absolute ? deadline_at(clock, *time) : deadline_after(*time);
  StepOutcome outcome = wait({.op = OpKind::sleep,
                              .deadline = deadline,
                              .interruptible = true,
                              .cancellable = cancellable,
                              .site = site});
  switch (outcome) {
    case StepOutcome::kReady:
    case StepOutcome::kTimeout:
      return 0;
    case StepOutcome::kCancelled:
      cancel_now();
    case StepOutcome::kInterrupted:
      break;
  }
  if (!absolute && remaining != nullptr) *remaining = time_left(deadline);
  return EINTR;
}

}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                  timespec* remaining) {
  if (!controlled()) return RADDLE_REAL(clock_nanosleep)(clock, flags, time, remaining);
  RuntimeScope scope;
  return sleep_on_clock(clock, flags, time, remaining, true, RADDLE_SITE);
}

RADDLE_EXPORT int nanosleep(const timespec* time, timespec* remaining) {
  if (!controlled()) return RADDLE_REAL(nanosleep)(time, remaining);
  RuntimeScope scope;
  int error = sleep_on_clock(CLOCK_REALTIME, 0, time, remaining, true, RADDLE_SITE);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

RADDLE_EXPORT int usleep(useconds_t microseconds) {
  if (!controlled()) return RADDLE_REAL(usleep)(microseconds);
  RuntimeScope scope;
  timespec time{microseconds / 1'000'000, long(microseconds % 1'000'000) * 1000};
  int error = sleep_on_clock(CLOCK_REALTIME, 0, &time, nullptr, true, RADDLE_SITE);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

RADDLE_EXPORT unsigned sleep(unsigned seconds) {
  if (!controlled()) return RADDLE_REAL(sleep)(seconds);
  RuntimeScope scope;
  timespec time{time_t(seconds), 0};
  timespec left{};
  sleep_on_clock(CLOCK_REALTIME, 0, &time, &left, true, RADDLE_SITE);
  return unsigned(left.tv_sec);
}

RADDLE_EXPORT int sched_yield() noexcept {
  if (!controlled()) return RADDLE_REAL(sched_yield)();
  RuntimeScope scope;
  decide(OpKind::yield, nullptr, RADDLE_SITE);
  return 0;
}

// Its old name. The headers redirect that to the new one; programs built before they did call it.
RADDLE_EXPORT int old_pthread_yield() noexcept asm("pthread_yield")
    __attribute__((alias("sched_yield")));
