// Paths of source files, as far as names need them. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace raddle {

// The last component: "/a/b.cpp" -> "b.cpp".
std::string base_name(std::string_view path);

// Without "." and "..", as std::filesystem::path::lexically_normal(). The same few files come again
// and again, so it remembers them. Valid until the thread's next call.
const std::string& normal_path(std::string_view path);

// The standard library's or the compiler's own headers.
bool is_system_header(std::string_view path);

// The C or C++ library, the loader, or Raddle itself, by the name of the loaded file.
bool is_library_module(std::string_view module);

// A class or function without what nobody wants to read: template arguments of the library's own,
// and very long ones of others. "std::thread::_State_impl", "Queue<int>", "Table<...>".
std::string without_long_arguments(std::string_view name);

}  // namespace raddle
