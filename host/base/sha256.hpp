// SHA-256 (FIPS 180-4): the names of things that are called by their contents.
#pragma once

#include <string>
#include <string_view>

namespace raddle {

// 64 hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace raddle
