// Paths of source files, as far as names need them. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace raddle {

// The last component: "/a/b.cpp" -> "b.cpp".
std::string base_name(std::string_view path);

// The standard library's or the compiler's own headers.
bool is_system_header(std::string_view path);

}  // namespace raddle
