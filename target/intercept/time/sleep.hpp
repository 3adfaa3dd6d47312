// Sleeping and giving way, for the other ways in: C11 threads, syscall().
#pragma once

#include <time.h>

#include <cstdint>

namespace raddle {

// Body of clock_nanosleep, inside a RuntimeScope: 0 or an errno value; with EINTR after a relative
// sleep, `remaining` (if given) says how much was left. May not return (cancelled), if it is a
// cancellation point.
int sleep_on_clock(clockid_t clock, int flags, const timespec* time, timespec* remaining,
                   bool cancellable, std::uint64_t site);

}  // namespace raddle
