// CRC-32 as in zlib and PNG (reflected polynomial 0xedb88320): the trailer of a replay file.
#pragma once

#include <cstdint>
#include <string_view>

namespace raddle {

std::uint32_t crc32(std::string_view bytes);

}  // namespace raddle
