// What freed blocks of an unmodified program hold while they are kept back
// (target/heap/quarantine.hpp), in each of their words. As a pointer it leads to where nothing is,
// at an address that the kernel tells of: one that no processor takes would look like null.
#pragma once

#include <cstdint>

namespace raddle {

inline constexpr std::uint64_t kFreedWord = 0x6dea'dbee'6dea;

// A crash at this address: through such a pointer, perhaps to a member.
constexpr bool is_from_freed(std::uint64_t address) {
  constexpr std::uint64_t kFar = 64 << 10;
  return address - (kFreedWord - kFar) < 2 * kFar;
}

}  // namespace raddle
