// Which bytes an event touches, and which it makes new.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/event.hpp"

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

// Memory that begins or ends a life: what was known of its bytes is of something else.
constexpr bool renews_memory(EventKind kind) {
  return kind == EventKind::allocate || kind == EventKind::free || kind == EventKind::local;
}

}  // namespace raddle
