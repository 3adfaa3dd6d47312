// Where the program's clocks begin. Time in the target is virtual, so they begin at the same moment
// in every execution. The host knows by these what may be a time.
#pragma once

#include <cstdint>

namespace raddle {

// What they show at virtual time 0, in nanoseconds.
inline constexpr std::int64_t kRealtimeBase = 1767225600LL * 1'000'000'000;  // 2026-01-01 00:00 UTC
inline constexpr std::int64_t kMonotonicBase = 1000LL * 1'000'000'000;

}  // namespace raddle
