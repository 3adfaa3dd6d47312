// A set of small numbers that knows its lowest member at once: bits, and above every 64 words of
// them a word that says which are not zero. The first word, which is all that a small heap needs,
// is asked first; the levels above do not know of it. Lives in zero-filled memory that its owner
// gives it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace raddle {

class BitTree {
 public:
  static constexpr std::size_t kBits = std::size_t{1} << 18;
  static constexpr std::size_t kNone = kBits;

  // Whether the number was set before does not matter, here and in clear().
  void set(std::size_t number) {
    if (__builtin_expect(number < 64, 1)) {
      words_[0] |= bit(number);
      return;
    }
    for (std::size_t level = 0; level < kLevels; ++level, number /= 64) {
      std::uint64_t& word = words_[kBegin[level] + number / 64];
      const bool known_above = word != 0;
      word |= bit(number);
      if (known_above) return;
    }
  }

  void clear(std::size_t number) {
    if (__builtin_expect(number < 64, 1)) {
      words_[0] &= ~bit(number);
      return;
    }
    for (std::size_t level = 0; level < kLevels; ++level, number /= 64) {
      std::uint64_t& word = words_[kBegin[level] + number / 64];
      word &= ~bit(number);
      if (word != 0) return;
    }
  }

  bool has(std::size_t number) const { return (words_[number / 64] & bit(number)) != 0; }

  // The lowest member, or kNone.
  std::size_t lowest() const {
    if (__builtin_expect(words_[0] != 0, 1)) return lowest_of(words_[0]);
    const std::uint64_t top = words_[kBegin[kLevels - 1]];
    return top == 0 ? kNone : lowest_below(kLevels - 1, lowest_of(top));
  }

  // The lowest member that is at least `from`, or kNone.
  std::size_t next(std::size_t from) const {
    if (from < 64) {
      const std::uint64_t word = words_[0] & ~(bit(from) - 1);
      if (word != 0) return lowest_of(word);
      from = 64;
    }
    for (std::size_t level = 0; level < kLevels && from / 64 < kWords[level]; ++level) {
      const std::uint64_t word = words_[kBegin[level] + from / 64] & ~(bit(from) - 1);
      if (word != 0) return lowest_below(level, from / 64 * 64 + lowest_of(word));
      from = from / 64 + 1;
    }
    return kNone;
  }

 private:
  static constexpr std::size_t kLevels = 3;
  static constexpr std::size_t kWords[kLevels] = {kBits / 64, kBits / 64 / 64, 1};
  static constexpr std::size_t kBegin[kLevels] = {0, kWords[0], kWords[0] + kWords[1]};

  static std::uint64_t bit(std::size_t number) { return std::uint64_t{1} << (number % 64); }
  static std::size_t lowest_of(std::uint64_t word) { return std::size_t(std::countr_zero(word)); }

  std::size_t lowest_below(std::size_t level, std::size_t number) const {
    for (; level > 0; --level) {
      number = number * 64 + lowest_of(words_[kBegin[level - 1] + number]);
    }
    return number;
  }

  std::uint64_t words_[kWords[0] + kWords[1] + kWords[2]];
};

}  // namespace raddle
