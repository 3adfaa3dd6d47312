// A place in the source, and a frame of a stack, in the program's own words. Plain data.
#pragma once

#include <cstdint>
#include <string>

namespace raddle {

struct Where {
  std::string file;  // empty if unknown
  std::uint32_t line = 0;
  std::string function;  // demangled; "module+0xoffset" where there is nothing better

  bool empty() const { return file.empty() && function.empty(); }
  bool operator==(const Where&) const = default;
};

struct Frame {
  Where where;
  std::string module;       // file name of the object, "account", "libc.so.6"
  bool in_program = false;  // not the C or C++ library, not Raddle itself
  bool inlined = false;
  bool unwritten = false;  // as of a SiteFrame
  bool named = true;       // where.function is a name, and not just "module+0xoffset" or an address
};

// The program's own, and with a name: something to call a thread by.
inline bool has_function_name(const Frame& frame) { return frame.in_program && frame.named; }

std::string place_text(const Where& where);   // "src/bank.cpp:12", or the function, or ""
std::string short_place(const Where& where);  // "bank.cpp:12": without its folder

}  // namespace raddle
