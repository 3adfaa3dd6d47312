// State for bytes of memory that are accessed in any sizes: each byte has its own history, and
// bytes that were always accessed together share one T. For atomic operations, which programs and
// libraries mix in size (libstdc++ loads both counts of a shared_ptr at once).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "host/analysis/shadow/extent.hpp"
#include "host/analysis/shadow/shadow_map.hpp"

namespace raddle {

template <class T>
class RangeTable {
 public:
  RangeTable() : map_(*this) {}
  RangeTable(const RangeTable&) = delete;
  RangeTable& operator=(const RangeTable&) = delete;

  // Calls visit(T&) for each part of the range; makes those that are new.
  template <class Visit>
  void make_all(Extent range, Visit&& visit) {
    map_.access(range.address, range.bytes, [&](std::uint32_t& cell, std::uint64_t, unsigned) {
      if (cell == 0) cell = make();
      visit(values_[cell - 1]);
    });
  }
  // The same for those that exist.
  template <class Visit>
  void find_all(Extent range, Visit&& visit) {
    map_.access(range.address, range.bytes, [&](std::uint32_t& cell, std::uint64_t, unsigned) {
      if (cell != 0) visit(values_[cell - 1]);
    });
  }
  void forget(std::uint64_t address, std::uint64_t bytes) { map_.forget(address, bytes); }

  // For the map.
  std::uint32_t clone(std::uint32_t cell) {
    if (cell == 0) return 0;
    const std::uint32_t copy = make();
    values_[copy - 1] = values_[cell - 1];
    return copy;
  }
  void drop(std::uint32_t& cell) {
    if (cell == 0) return;
    values_[cell - 1] = T{};
    unused_.push_back(cell);
  }

 private:
  std::uint32_t make() {
    if (!unused_.empty()) {
      const std::uint32_t cell = unused_.back();
      unused_.pop_back();
      return cell;
    }
    values_.emplace_back();
    return static_cast<std::uint32_t>(values_.size());
  }

  std::deque<T> values_;
  std::vector<std::uint32_t> unused_;
  ShadowMap<std::uint32_t, RangeTable> map_;
};

}  // namespace raddle
