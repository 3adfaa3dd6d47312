// SplitMix64: small, seedable with any number, the same everywhere.
#pragma once

#include <cstdint>

namespace raddle {

// A uniform 64-bit number, as one below `bound` (bound > 0). The bias of the multiplication is
// below 2^-32 for our bounds.
constexpr std::uint64_t scale_below(std::uint64_t number, std::uint64_t bound) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(number) * bound) >> 64);
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t below(std::uint64_t bound) { return scale_below(next(), bound); }

 private:
  std::uint64_t state_;
};

}  // namespace raddle
