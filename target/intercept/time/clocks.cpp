// clock_gettime and its relatives show virtual time. A look at a clock is no decision, and the same
// plan sees the same times.
//
// They do so already in constructors that run before main(), or time would jump when control is
// taken.
#include "target/intercept/time/clocks.hpp"

#include <errno.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "target/sched/clock.hpp"
#include "target/sched/clock_looks.hpp"
#include "target/sched/scheduler.hpp"

namespace raddle {
namespace {

constexpr clockid_t kSgiCycle = 10;  // a number that was given up
constexpr int kDescriptorClock = 3;  // low bits of a clock that is a device

bool before_control() { return g_region != nullptr && g_current == nullptr; }

}  // namespace

void look_at_clock(std::uint64_t site) {
  if (look_at_time()) decide(OpKind::yield, nullptr, site);
}

bool is_virtual_clock(clockid_t clock) {
  if (clock < 0) return (clock & 7) != kDescriptorClock;
  return clock <= CLOCK_TAI && clock != kSgiCycle;
}

timespec read_clock(clockid_t clock) {
  std::int64_t now = clock_reading(clock);
  return {now / 1'000'000'000, now % 1'000'000'000};
}

}  // namespace raddle

using namespace raddle;

namespace {

// Whether the clock to be read is ours; if so, this is the look at it.
bool look(std::uint64_t site) {
  if (controlled()) {
    RuntimeScope scope;
    look_at_clock(site);
    return true;
  }
  if (!before_control()) return false;
  advance_clock(kTick);
  return true;
}

}  // namespace

RADDLE_EXPORT int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!is_virtual_clock(clock) || !look(RADDLE_SITE)) {
    return RADDLE_REAL(clock_gettime)(clock, time);
  }
  *time = read_clock(clock);
  return 0;
}

RADDLE_EXPORT int gettimeofday(timeval* __restrict time, void* __restrict zone) noexcept {
  if (time == nullptr || !look(RADDLE_SITE)) return RADDLE_REAL(gettimeofday)(time, zone);
  if (zone != nullptr) RADDLE_REAL(gettimeofday)(nullptr, zone);
  timespec now = read_clock(CLOCK_REALTIME);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

RADDLE_EXPORT time_t time(time_t* result) noexcept {
  if (!look(RADDLE_SITE)) return RADDLE_REAL(time)(result);
  time_t now = read_clock(CLOCK_REALTIME).tv_sec;
  if (result != nullptr) *result = now;
  return now;
}

RADDLE_EXPORT clock_t clock() noexcept {
  if (!look(RADDLE_SITE)) return RADDLE_REAL(clock)();
  static_assert(CLOCKS_PER_SEC == 1'000'000);
  return clock_reading(CLOCK_PROCESS_CPUTIME_ID) / 1000;
}

RADDLE_EXPORT clock_t times(tms* buffer) noexcept {
  if (!look(RADDLE_SITE)) return RADDLE_REAL(times)(buffer);
  std::int64_t tick = 1'000'000'000 / sysconf(_SC_CLK_TCK);
  if (buffer != nullptr) *buffer = {clock_reading(CLOCK_PROCESS_CPUTIME_ID) / tick, 0, 0, 0};
  return clock_reading(CLOCK_MONOTONIC) / tick;
}

RADDLE_EXPORT int timespec_get(timespec* time, int base) noexcept {
  if (base != TIME_UTC || !look(RADDLE_SITE)) return RADDLE_REAL(timespec_get)(time, base);
  *time = read_clock(CLOCK_REALTIME);
  return base;
}
