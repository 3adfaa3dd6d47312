// Text from the target made fit for a terminal and for JSON. Called by everything in report/ that
// takes over a string the target wrote: the target may be corrupt, or hostile.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace raddle {

// Valid UTF-8 in one line: control characters become escapes (\n, \x1b), invalid bytes become \xNN.
// White space at the end is dropped.
std::string printable(std::string_view text);

// The same for a character array that may lack its terminator.
template <std::size_t N>
std::string printable_field(const char (&field)[N]) {
  return printable(std::string_view(field, ::strnlen(field, N)));
}

// Columns that a UTF-8 text takes; every code point counts as one.
std::size_t text_width(std::string_view text);

// At most `width` columns of the text; "..." stands for what was cut off its end.
std::string cut_to_width(std::string_view text, std::size_t width);

// 1234567 -> "1,234,567".
std::string grouped(unsigned long long number);

}  // namespace raddle
