// Which time-outs are long: whoever waits for that long does not expect to wait in vain because the
// machine is slow.
#pragma once

#include <cstdint>

#include "protocol/plan.hpp"

namespace raddle {

// Of a wait that has so many nanoseconds left when it begins. Some time passes between the
// program's look at the clock, from which it computes a deadline, and the wait.
constexpr bool is_long_timeout(std::uint64_t left) {
  constexpr std::uint64_t kSlack = 10'000'000;
  return left + kSlack >= kLongTimeout;
}

}  // namespace raddle
