// What an operation touches, and how: the one table behind dependent(). Two operations of different
// threads depend on each other when both touch something and at least one changes it.
#pragma once

#include <cstdint>

#include "protocol/pending.hpp"

namespace raddle {

enum class Space : std::uint8_t {
  kLife,      // of the process: its end changes it, and whatever still wants to happen reads it
  kWorld,     // changed by what can reach anybody: signals, time. All that has an effect reads it.
  kCreation,  // threads are numbered in the order of their creation
  kChannels,  // descriptors: two numbers may be the two ends of one pipe
  kObject,    // by ObjectId
  kLeaving,   // the departure of waiters from a condition variable, by ObjectId
  kMemory,    // by address
  kFutex,     // the waiters of a futex, by address
};

struct Touch {
  Space space;
  bool writes;
  std::uint64_t where;  // ObjectId or address
  std::uint64_t size;   // bytes; 1 where there are none
};

inline constexpr int kMostTouches = 5;

// Writes the touches of an operation, and returns how many there are. The first one is kLife. An
// operation without an effect that another thread could see has no other.
int touches(const Pending& p, Touch (&out)[kMostTouches]);

// Two operations that may not commute: executed in the other order they could lead elsewhere, or
// one could keep the other from being executed. True where unsure (dependence.cpp has the table).
bool dependent(const Pending& a, const Pending& b);

}  // namespace raddle
