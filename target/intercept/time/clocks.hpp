// Looking at clocks, for interceptors that take times or read clocks on another way in.
#pragma once

#include <time.h>

#include <cstdint>

namespace raddle {

// The program looks at a clock: time moves on a little. A thread that does nothing else for a while
// has to give way, so that a loop that waits for a time does not keep the others from moving.
// Inside a RuntimeScope.
void look_at_clock(std::uint64_t site);

// Whether Raddle shows virtual time for this clock. All but hardware clocks, and numbers that are
// none.
bool is_virtual_clock(clockid_t clock);

timespec read_clock(clockid_t clock);

inline bool valid_nanoseconds(const timespec& time) {
  return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000;
}

// The clocks that glibc accepts in pthread_cond_clockwait and its relatives.
inline bool is_wait_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

}  // namespace raddle
