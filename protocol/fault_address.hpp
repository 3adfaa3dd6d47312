// The address of a crash, where the processor does not tell it: that of an access is none that
// memory can have (not canonical), and the kernel says 0, which would look like a null pointer.
#pragma once

#include <cstdint>

namespace raddle {

inline constexpr std::uint64_t kUnknownFaultAddress = ~std::uint64_t{0};

}  // namespace raddle
