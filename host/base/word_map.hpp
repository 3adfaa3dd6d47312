// A map from 64-bit keys (addresses) to small values: open addressing, linear probing, erase by
// moving back, so that it never slows down with age. Detectors look up an address per event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "host/base/intern.hpp"

namespace raddle {

// Value: default constructible and movable. A pointer into the map is valid until the next insert
// or erase.
template <class Value>
class WordMap {
 public:
  Value* find(std::uint64_t key) {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = home(key);; at = next(at)) {
      if (!slots_[at].used) return nullptr;
      if (slots_[at].key == key) return &slots_[at].value;
    }
  }
  const Value* find(std::uint64_t key) const { return const_cast<WordMap*>(this)->find(key); }

  // The value of the key, a fresh one if there was none.
  Value& operator[](std::uint64_t key) {
    if ((size_ + 1) * 8 > slots_.size() * 5)
      resize(slots_.empty() ? kFirstSlots : slots_.size() * 2);
    for (std::size_t at = home(key);; at = next(at)) {
      if (!slots_[at].used) {
        slots_[at].used = true;
        slots_[at].key = key;
        ++size_;
        return slots_[at].value;
      }
      if (slots_[at].key == key) return slots_[at].value;
    }
  }

  bool erase(std::uint64_t key) {
    if (slots_.empty()) return false;
    for (std::size_t at = home(key); slots_[at].used; at = next(at)) {
      if (slots_[at].key != key) continue;
      erase_at(at);
      return true;
    }
    return false;
  }

  // Removes every entry of which `dead(key, value)` is true.
  template <class Dead>
  void erase_if(Dead dead) {
    for (std::size_t at = 0; at < slots_.size();) {
      // What moves back into `at` is looked at again; what wraps around to the front was looked at
      // before, and `dead` is asked of it once more at most.
      if (slots_[at].used && dead(slots_[at].key, slots_[at].value))
        erase_at(at);
      else
        ++at;
    }
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (Slot& slot : slots_)
      if (slot.used) visit(slot.key, slot.value);
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_)
      if (slot.used) visit(slot.key, slot.value);
  }

  // Keeps the memory unless it is large: for maps that are reused.
  void clear() {
    if (slots_.size() > 1024) {
      slots_ = {};
    } else if (size_ > 0) {
      for (Slot& slot : slots_)
        if (slot.used) slot = Slot{};
    }
    size_ = 0;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t capacity_bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t key = 0;
    bool used = false;
    Value value{};
  };

  // Few: many maps are small, and are cleared as often as they are filled.
  static constexpr std::size_t kFirstSlots = 8;

  std::size_t home(std::uint64_t key) const { return mix(key) & (slots_.size() - 1); }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  void erase_at(std::size_t hole) {
    for (std::size_t at = next(hole); slots_[at].used; at = next(at)) {
      // An entry may move to the hole unless its home lies between the hole and it.
      const std::size_t distance = (at - home(slots_[at].key)) & (slots_.size() - 1);
      if (distance < ((at - hole) & (slots_.size() - 1))) continue;
      slots_[hole].key = slots_[at].key;
      slots_[hole].value = std::move(slots_[at].value);
      hole = at;
    }
    slots_[hole] = Slot{};
    --size_;
  }

  void resize(std::size_t slots) {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots));
    for (Slot& slot : old) {
      if (!slot.used) continue;
      std::size_t at = home(slot.key);
      while (slots_[at].used) at = next(at);
      slots_[at] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two
  std::size_t size_ = 0;
};

}  // namespace raddle
