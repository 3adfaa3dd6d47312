// Interning: equal keys get the same small number, numbers count up from 0. Keys are kept in the
// order of their numbers, so a number is also an index. Made for keys that are looked up far more
// often than they are new (stacks, sets of locks, places).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace raddle {

constexpr std::uint64_t mix(std::uint64_t a) {  // splitmix64's finisher
  a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9ULL;
  a = (a ^ (a >> 27)) * 0x94d049bb133111ebULL;
  return a ^ (a >> 31);
}
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return mix(a * 0x9e3779b97f4a7c15ULL + b);
}

// Key: copyable, ==, and std::uint64_t hash() const.
template <class Key>
class Interner {
 public:
  std::uint32_t operator()(const Key& key) {
    if ((keys_.size() + 1) * 2 > slots_.size()) grow();
    std::size_t at = key.hash() & (slots_.size() - 1);
    while (slots_[at] != kEmpty) {
      if (keys_[slots_[at]] == key) return slots_[at];
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
    return slots_[at];
  }
  const Key& operator[](std::uint32_t number) const { return keys_[number]; }
  std::size_t size() const { return keys_.size(); }

 private:
  static constexpr std::uint32_t kEmpty = 0xffff'ffff;
  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kEmpty);
    for (std::uint32_t number = 0; number < keys_.size(); ++number) {
      std::size_t at = keys_[number].hash() & (slots_.size() - 1);
      while (slots_[at] != kEmpty) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = number;
    }
  }
  std::vector<Key> keys_;
  std::vector<std::uint32_t> slots_;  // a power of two, at most half full
};

}  // namespace raddle
