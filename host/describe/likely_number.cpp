#include "host/describe/likely_number.hpp"

namespace raddle {

std::optional<std::int64_t> likely_number(std::uint64_t value, std::uint16_t bytes) {
  constexpr std::uint64_t kReadable = 10'000'000'000;  // more digits say nothing
  const unsigned bits = bytes == 0 || bytes > 8 ? 64 : 8u * bytes;
  if (bits < 64) value &= (std::uint64_t{1} << bits) - 1;
  if (value >> (bits - 1) != 0) {
    const std::uint64_t negated = bits < 64 ? (std::uint64_t{1} << bits) - value : ~value + 1;
    if (negated < kReadable && (bits > 16 || negated == 1)) {
      return -static_cast<std::int64_t>(negated);
    }
  }
  if (value < kReadable) return static_cast<std::int64_t>(value);
  return std::nullopt;
}

}  // namespace raddle
