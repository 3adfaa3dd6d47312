// Which bytes an event touches, and which it makes new.
#pragma once

#include <algorithm>
#include <cstdint>

#include "protocol/event.hpp"

namespace raddle {

struct Extent {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // 0: none
};

// Ranges longer than this are looked at in their first part only: a malformed stream must not make
// us allocate what no program has.
inline constexpr std::uint64_t kMostRange = std::uint64_t{1} << 26;

// Of an access or atomic operation.
constexpr Extent extent_of(const Event& event) {
  if (event.kind == EventKind::read_range || event.kind == EventKind::write_range)
    return {event.object, std::min(event.value, kMostRange)};
  if (event.kind == EventKind::fence) return {};
  return {event.object, std::max<std::uint64_t>(event.size, 1)};
}

constexpr bool writes(EventKind kind) {
  return kind == EventKind::write || kind == EventKind::write_range;
}

// An atomic operation that adds or subtracts one. In whichever order several of them come, the
// outcome is the same.
constexpr bool counts_by_one(const Event& event) {
  if (event.kind != EventKind::atomic_update || (event.flags & kNoValue) != 0) return false;
  if (event.size == 0 || event.size > 8) return false;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8U * event.size);
  const std::uint64_t difference = (event.value2 - event.value) & mask;
  return difference == 1 || difference == mask;
}

// Memory that begins or ends a life: what was known of its bytes is of something else.
constexpr bool renews_memory(EventKind kind) {
  return kind == EventKind::allocate || kind == EventKind::free || kind == EventKind::local;
}

// The step of an access of which the lower half was kept; `now` is a later event's. Steps only
// grow, so the upper half is that event's or the one before it.
constexpr std::uint64_t whole_step(std::uint32_t low, std::uint64_t now) {
  constexpr std::uint64_t kSpan = std::uint64_t{1} << 32;
  const std::uint64_t step = (now & ~(kSpan - 1)) | low;
  return step > now && step >= kSpan ? step - kSpan : step;
}

}  // namespace raddle
