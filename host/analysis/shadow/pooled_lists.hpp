// Lists that cells of a shadow map have, by number; 0 is none, as most cells have. Knows how many
// elements there are in all, so that a detector can bound them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/analysis/shadow/cell_pool.hpp"

namespace raddle {

template <class Element>
class PooledLists {
 public:
  const std::vector<Element>& operator[](std::uint32_t list) { return pool_[list]; }
  // Of all lists.
  std::size_t elements() const { return elements_; }

  std::uint32_t make() { return pool_.make(); }
  // A list like this one; none for none.
  std::uint32_t copy(std::uint32_t list) {
    if (list != 0) elements_ += pool_[list].size();
    return pool_.copy(list);
  }
  void drop(std::uint32_t list) {
    if (list != 0) elements_ -= pool_[list].size();
    pool_.drop(list);
  }

  void push_back(std::uint32_t list, const Element& element) {
    pool_[list].push_back(element);
    ++elements_;
  }
  void drop_first(std::uint32_t list) {
    pool_[list].erase(pool_[list].begin());
    --elements_;
  }
  void replace(std::uint32_t list, std::size_t at, const Element& element) {
    pool_[list][at] = element;
  }

 private:
  CellPool<std::vector<Element>> pool_;
  std::size_t elements_ = 0;
};

}  // namespace raddle
