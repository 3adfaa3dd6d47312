// State for objects that are known by their address (locks, conditions, atomics), forgotten with
// their memory. T is default-constructed at first use.
#pragma once

#include <cstdint>

#include "host/analysis/shadow/cell_pool.hpp"
#include "host/analysis/shadow/shadow_map.hpp"

namespace raddle {

template <class T>
class ObjectTable {
 public:
  ObjectTable() : map_(*this) {}
  ObjectTable(const ObjectTable&) = delete;
  ObjectTable& operator=(const ObjectTable&) = delete;

  // Valid until the memory is forgotten.
  T& at(std::uint64_t address) {
    T* found = nullptr;
    map_.access(address, 1, [&](std::uint32_t& cell, std::uint64_t, unsigned) {
      if (cell == 0) cell = objects_.make();
      found = &objects_[cell];
    });
    return *found;
  }
  void forget(std::uint64_t address, std::uint64_t bytes) { map_.forget(address, bytes); }

  // For the map. A cell here covers one byte, so the other part of a split segment has no object:
  // the byte that was asked for keeps it.
  std::uint32_t clone(std::uint32_t) { return 0; }
  void drop(std::uint32_t& cell) { objects_.drop(cell); }

 private:
  CellPool<T> objects_;
  ShadowMap<std::uint32_t, ObjectTable> map_;
};

}  // namespace raddle
