// What a value means that was read or written, of which nothing but the size is known.
#pragma once

#include <cstdint>
#include <optional>

namespace raddle {

// 100, -40; nothing for what is rather an address. Of the signed and the unsigned reading the one
// nearer to 0 is the likely one. `bytes` of 0, or more than 8, stand for 8.
std::optional<std::int64_t> likely_number(std::uint64_t value, std::uint16_t bytes);

}  // namespace raddle
