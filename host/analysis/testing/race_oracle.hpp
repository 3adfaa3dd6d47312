// Test helper: races by their definition, every pair of events looked at. For small executions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "host/analysis/testing/order_oracle.hpp"
#include "protocol/event.hpp"

namespace raddle {

class RaceOracle {
 public:
  // `old_blocks`: what is freed without having been allocated is a block that is older.
  explicit RaceOracle(const std::vector<Event>& events, bool old_blocks = false)
      : events_(events), n_(events.size()), order_(events), old_blocks_(old_blocks) {}

  // A block that begins there was allocated, and not freed since.
  bool frees_block(const Event& e) const {
    if (old_blocks_) return true;
    bool lives = false;
    for (const Event& other : events_) {
      if (&other == &e) break;
      if (other.object != e.object) continue;
      if (other.kind == EventKind::allocate) lives = true;
      if (other.kind == EventKind::free) lives = false;
    }
    return lives;
  }

  bool touches(const Event& e, std::uint64_t byte) const {
    std::uint64_t bytes = 0;
    if (e.kind == EventKind::read_range || e.kind == EventKind::write_range ||
        (e.kind == EventKind::free && frees_block(e)))
      bytes = e.value;
    else if (is_access(e.kind) || atomic_access(e))
      bytes = e.size;
    return byte >= e.object && byte < e.object + bytes;
  }

  bool conflict(const Event& a, const Event& b) const {
    if (atomic_access(a) && atomic_access(b)) return false;
    return stores(a) || stores(b);
  }

  static bool stores(const Event& e) {
    return e.kind == EventKind::write || e.kind == EventKind::write_range ||
           e.kind == EventKind::free || atomic_stores(e);
  }

  bool race(std::size_t i, std::size_t j, std::uint64_t byte) const {
    return touches(events_[i], byte) && touches(events_[j], byte) &&
           conflict(events_[i], events_[j]) && !order_.before(i, j);
  }

  // By byte: the first event that races there, for each life of the memory.
  std::set<std::pair<std::uint64_t, std::size_t>> first_races() const {
    std::set<std::pair<std::uint64_t, std::size_t>> found;
    for_each_byte([&](std::uint64_t byte) {
      std::size_t born = 0;
      bool raced = false;
      for (std::size_t j = 0; j < n_; ++j) {
        const Event& e = events_[j];
        const bool inside = byte >= e.object && byte < e.object + e.value;
        if (inside && e.kind == EventKind::allocate) {
          born = j;
          raced = false;
        }
        for (std::size_t i = born; i < j && !raced; ++i) {
          if (!race(i, j, byte)) continue;
          found.insert({byte, j});
          raced = true;
        }
        if (inside && e.kind == EventKind::free) {
          born = j + 1;
          raced = false;
        }
      }
    });
    return found;
  }

  // All pairs of events that race on some byte within one life of its memory, or after its end.
  std::set<std::pair<std::size_t, std::size_t>> all_races() const {
    std::set<std::pair<std::size_t, std::size_t>> found;
    for_each_byte([&](std::uint64_t byte) {
      std::size_t born = 0;
      for (std::size_t j = 0; j < n_; ++j) {
        const Event& e = events_[j];
        const bool inside = byte >= e.object && byte < e.object + e.value;
        if (inside && e.kind == EventKind::allocate) born = j;
        for (std::size_t i = born; i < j; ++i)
          if (race(i, j, byte)) found.insert({i, j});
        // To free it counts for what comes behind, too.
        if (inside && e.kind == EventKind::free) born = frees_block(e) ? j : j + 1;
      }
    });
    return found;
  }

  // Where random executions have their variables and blocks.
  template <class Visit>
  static void for_each_byte(Visit&& visit) {
    for (std::uint64_t byte = 0x2000; byte < 0x2048; ++byte) visit(byte);
    for (std::uint64_t byte = 0x3000; byte < 0x3020; ++byte) visit(byte);
  }

 private:
  const std::vector<Event>& events_;
  std::size_t n_;
  OrderOracle order_;
  bool old_blocks_;
};

}  // namespace raddle
