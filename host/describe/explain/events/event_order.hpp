// What orders the events of two threads in an execution, by vector clocks. For explanations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "protocol/event.hpp"

namespace raddle {

// Order by creation and joining of threads alone, which no schedule can change; or the whole order
// of this execution: locks, conditions, semaphores and atomic operations, too.
class EventOrder {
 public:
  enum class By : std::uint8_t { kLives, kEverything };
  explicit EventOrder(By by) : by_(by) {}

  void on(const Event& event) {
    if (event.kind == EventKind::fork) {
      Clock& parent = clocks_[raw(event.thread)];
      Clock child = parent;
      ++parent[raw(event.thread)];
      clocks_[static_cast<std::uint16_t>(event.value)] = std::move(child);
    } else if (event.kind == EventKind::join) {
      const Clock ended = clocks_[static_cast<std::uint16_t>(event.value)];
      Clock& waiting = clocks_[raw(event.thread)];
      for (const auto& [thread, time] : ended) waiting[thread] = std::max(waiting[thread], time);
      // Of the ended thread itself all is over.
      waiting[static_cast<std::uint16_t>(event.value)] = ~std::uint32_t{0};
    } else if (by_ == By::kEverything) {
      if (learns(event)) merge(clocks_[raw(event.thread)], objects_[event.object]);
      if (tells(event)) {
        Clock& own = clocks_[raw(event.thread)];
        own.try_emplace(raw(event.thread), 0);
        merge(objects_[event.object], own);
        ++own[raw(event.thread)];
      }
    }
  }

  // Of the thread, now: what an access of it is remembered with.
  std::uint32_t now(ThreadId thread) { return clocks_[raw(thread)][raw(thread)]; }
  // Whether what `thread` did at `time` comes before what `other` does now, in every schedule.
  bool before(ThreadId thread, std::uint32_t time, ThreadId other) {
    const Clock& clock = clocks_[raw(other)];
    const auto known = clock.find(raw(thread));
    return known != clock.end() && known->second >= time;
  }

 private:
  using Clock = std::unordered_map<std::uint16_t, std::uint32_t>;

  static bool learns(const Event& event) {
    return event.kind == EventKind::acquire || event.kind == EventKind::wake ||
           event.kind == EventKind::await ||
           (is_atomic(event.kind) && event.kind != EventKind::atomic_store);
  }
  static bool tells(const Event& event) {
    return event.kind == EventKind::release || event.kind == EventKind::notify ||
           event.kind == EventKind::signal ||
           (is_atomic(event.kind) && event.kind != EventKind::atomic_load);
  }
  static void merge(Clock& to, const Clock& from) {
    for (const auto& [thread, time] : from) to[thread] = std::max(to[thread], time);
  }

  const By by_;
  std::unordered_map<std::uint16_t, Clock> clocks_;
  std::unordered_map<std::uint64_t, Clock> objects_;
};

}  // namespace raddle
