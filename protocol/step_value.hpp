// What a step of an execution found and left (Plan::value_log), for explorers that go by values.
#pragma once

#include <cstdint>

namespace raddle {

// Bytes in a pool: `size` of them from `offset`, and for an access as many again behind them.
// size 0: nothing of interest.
//   an access to memory      the bytes that it touches, before and after the step
//   a lock that is tried     one byte: 1 if it was free for the thread, 0 if another one held it;
//                            kOwnLock if the thread itself did
//   a semaphore              four bytes: its count before the step
struct StepValue {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

inline constexpr std::uint8_t kOwnLock = 2;

// Room for the values of one execution.
inline constexpr std::uint64_t kValueBytes = std::uint64_t{1} << 26;
inline constexpr std::uint32_t kMostObjectKeys = 1U << 20;

}  // namespace raddle
