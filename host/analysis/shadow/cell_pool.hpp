// What the cells of a shadow map refer to, by number; 0 is none. Numbers of what was dropped are
// used again. For ObjectTable and RangeTable.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace raddle {

template <class T>
class CellPool {
 public:
  // Stays where it is until it is dropped.
  T& operator[](std::uint32_t cell) { return values_[cell - 1]; }

  // A default-constructed one.
  std::uint32_t make() {
    if (!unused_.empty()) {
      const std::uint32_t cell = unused_.back();
      unused_.pop_back();
      return cell;
    }
    values_.emplace_back();
    return static_cast<std::uint32_t>(values_.size());
  }
  std::uint32_t copy(std::uint32_t cell) {
    if (cell == 0) return 0;
    const std::uint32_t made = make();
    values_[made - 1] = values_[cell - 1];
    return made;
  }
  void drop(std::uint32_t cell) {
    if (cell == 0) return;
    values_[cell - 1] = T{};
    unused_.push_back(cell);
  }

 private:
  std::deque<T> values_;
  std::vector<std::uint32_t> unused_;
};

}  // namespace raddle
