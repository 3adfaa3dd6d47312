#include "host/base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace raddle {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
}

// Length of the well-formed UTF-8 sequence at `at`, or 0. Overlong forms, surrogates and values
// beyond U+10FFFF are not well-formed; C1 control characters are refused too, as terminals obey
// them.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::uint32_t point = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(text, at + i);
    if ((next & 0xc0) != 0x80) return 0;
    point = point << 6 | (next & 0x3f);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0xa0, 0x800, 0x10000};
  if (point < kSmallest[length] || point > 0x10ffff) return 0;
  if (point >= 0xd800 && point <= 0xdfff) return 0;
  return length;
}

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

}  // namespace

std::string printable(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  // Most texts are plain, and traces are made of many.
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const unsigned first = byte_at(text, at);
    if (first == '\n') {
      out += "\\n";
    } else if (first == '\t') {
      out += ' ';
    } else if (length == 0 || first < 0x20 || first == 0x7f) {
      out += fmt::format("\\x{:02x}", first);
    } else {
      out.append(text, at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return out;
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  for (char c : text) width += starts_code_point(c) ? 1 : 0;
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (text_width(text) <= width) return std::string(text);
  const std::size_t dots = width < 3 ? width : 3;
  std::size_t kept = 0;
  std::size_t end = 0;
  while (end < text.size() && (kept < width - dots || !starts_code_point(text[end]))) {
    kept += starts_code_point(text[end]) ? 1 : 0;
    ++end;
  }
  return std::string(text.substr(0, end)) + std::string(dots, '.');
}

std::string grouped(unsigned long long number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

}  // namespace raddle
