// A place in the source, and a frame of a stack, in the program's own words. Plain data.
#pragma once

#include <cstdint>
#include <string>

namespace raddle {

struct Where {
  std::string file;  // empty if unknown
  std::uint32_t line = 0;
  std::string function;  // demangled; "module+0xoffset" where there is nothing better
};

struct Frame {
  Where where;
  std::string module;       // file name of the object, "account", "libc.so.6"
  bool in_program = false;  // not the C or C++ library, not Raddle itself
  bool inlined = false;
};

// The program's own, and not just "module+0xoffset": something to call a thread by.
inline bool has_function_name(const Frame& frame) {
  return frame.in_program && frame.where.function.find("+0x") == std::string::npos;
}

std::string place_text(const Where& where);   // "src/bank.cpp:12", or the function, or ""
std::string short_place(const Where& where);  // "bank.cpp:12": without its folder

}  // namespace raddle
