// Events of two executions of one program that are the same. Used by comparisons alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/trace/kept_trace.hpp"

namespace raddle {

// An event by what is the same in both executions: its thread, its place, and how often the thread
// had been there.
struct Occurrence {
  ThreadId thread{};
  std::uint64_t site = 0;  // Site::stable
  std::size_t count = 0;
};

inline Occurrence occurrence(const KeptTrace& trace, std::size_t event) {
  const std::vector<Event>& events = trace.all();
  Occurrence found{events[event].thread, trace.site(events[event].site).stable, 0};
  for (std::size_t i = 0; i <= event; ++i) {
    if (events[i].thread == found.thread && trace.site(events[i].site).stable == found.site)
      ++found.count;
  }
  return found;
}

inline std::optional<std::size_t> find_occurrence(const KeptTrace& trace,
                                                  const Occurrence& wanted) {
  const std::vector<Event>& events = trace.all();
  std::size_t count = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].thread != wanted.thread || trace.site(events[i].site).stable != wanted.site)
      continue;
    if (++count == wanted.count) return i;
  }
  return std::nullopt;
}

}  // namespace raddle
