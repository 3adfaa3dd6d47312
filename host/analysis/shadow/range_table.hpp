// State for bytes of memory that are accessed in any sizes: each byte has its own history, and
// bytes that were always accessed together share one T. For atomic operations, which programs and
// libraries mix in size (libstdc++ loads both counts of a shared_ptr at once).
#pragma once

#include <cstdint>

#include "host/analysis/shadow/cell_pool.hpp"
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
      if (cell == 0) cell = values_.make();
      visit(values_[cell]);
    });
  }
  // The same for those that exist.
  template <class Visit>
  void find_all(Extent range, Visit&& visit) {
    map_.access(range.address, range.bytes, [&](std::uint32_t& cell, std::uint64_t, unsigned) {
      if (cell != 0) visit(values_[cell]);
    });
  }
  void forget(std::uint64_t address, std::uint64_t bytes) { map_.forget(address, bytes); }

  // For the map.
  std::uint32_t clone(std::uint32_t cell) { return values_.copy(cell); }
  void drop(std::uint32_t& cell) { values_.drop(cell); }

 private:
  CellPool<T> values_;
  ShadowMap<std::uint32_t, RangeTable> map_;
};

}  // namespace raddle
