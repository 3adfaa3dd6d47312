// CRC-32C (Castagnoli), as in iSCSI and ext4: the one that processors compute. For what is written
// at a gigabyte a second; host/base/crc32.hpp is for the rest.
#pragma once

#include <cstdint>
#include <string_view>

namespace raddle {

// Of `before` and then `bytes`; `before` is 0 for nothing.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// The same without the processor's help: what the other is compared with, and its stand-in.
std::uint32_t crc32c_portable(std::string_view bytes, std::uint32_t before = 0);

}  // namespace raddle
