// What the steps of an execution found and left, for explorers that go by values. A part of the
// shared region, behind all others, where that has room for who could move
// (EnabledLog::capacity > 0):
//
//   ValueLog | of each step: StepValue | of each object: its key | bytes
//
// The host says before an execution whether it wants them; the target writes the rest.
#pragma once

#include <cstdint>

#include "protocol/shared_region.hpp"

namespace raddle {

// Bytes in the pool: `size` of them from `offset`, and for an access as many again behind them.
// size 0: nothing of interest.
//   an access to memory      the bytes that it touches, before and after the step
//   a lock that is tried     one byte: 1 if it was free for the thread, 0 if another one held it;
//                            kOwnLock if the thread itself did
//   the arrival at a barrier two words: how many arrived before it, in all rounds, and how many
//                            make a round
//   a semaphore              four bytes: its count before the step
//   kNotKnown                the step touches memory elsewhere, too, or it is not clear how much
struct StepValue {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};
inline constexpr std::uint32_t kNotKnown = ~std::uint32_t{0};

inline constexpr std::uint8_t kOwnLock = 2;

// Where the stacks and heaps of Plan::by_values lie, and the stacks of in-process executions.
// Neither the kernel nor sanitizers put anything there by themselves.
inline constexpr std::uint64_t kSeparateStacks = 0x6a00'0000'0000;
inline constexpr std::uint64_t kSeparateStacksSize = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kSeparateHeaps = 0x6e00'0000'0000;
inline constexpr std::uint64_t kSeparateHeapsSize = std::uint64_t{1} << 40;

// ValueLog::heap, see target/state/separate_heaps.hpp.
inline constexpr std::uint64_t kHeapMoved = 1;  // blocks lie elsewhere than in the execution before
inline constexpr std::uint64_t kHeapFull = 2;   // some blocks lie wherever there was room

inline constexpr std::uint64_t kValueBytes = std::uint64_t{1} << 26;
inline constexpr std::uint32_t kMostObjectKeys = 1U << 20;

struct ValueLog {
  std::uint32_t wanted;  // by the host
  std::uint32_t steps;   // of log_capacity: how many fit
  std::uint64_t used;    // bytes of the pool
  std::uint64_t heap;    // by the target: kHeap...

  StepValue* values() { return reinterpret_cast<StepValue*>(this + 1); }
  // By number of an object: a thread's number, or class and address. Neither depends on the
  // schedule as the numbers of objects do.
  std::uint64_t* object_keys() { return reinterpret_cast<std::uint64_t*>(values() + steps); }
  std::uint8_t* bytes() { return reinterpret_cast<std::uint8_t*>(object_keys() + kMostObjectKeys); }

  static std::size_t size(std::uint64_t log_capacity) {
    return sizeof(ValueLog) + log_capacity * sizeof(StepValue) +
           kMostObjectKeys * sizeof(std::uint64_t) + kValueBytes;
  }
};
static_assert(sizeof(ValueLog) == 24);

// Where the log begins: the bytes of all other parts.
inline std::size_t value_log_offset(std::uint64_t log_capacity, std::uint64_t replay_capacity,
                                    std::uint64_t enabled_capacity) {
  return (SharedRegion::bytes(log_capacity, replay_capacity, enabled_capacity) + 15) &
         ~std::size_t{15};
}

// Null if the region has none.
inline ValueLog* value_log_of(SharedRegion& region) {
  if (region.enabled.capacity == 0) return nullptr;
  return reinterpret_cast<ValueLog*>(
      reinterpret_cast<char*>(&region) +
      value_log_offset(region.log_capacity, region.replay_capacity, region.enabled.capacity));
}

}  // namespace raddle
