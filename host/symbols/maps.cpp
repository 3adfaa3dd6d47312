#include "host/symbols/maps.hpp"

#include <charconv>
#include <optional>

namespace raddle {

namespace {

struct Mapping {
  LoadedObject object;
  bool executable = false;
};

std::string_view take_word(std::string_view& line) {
  const std::size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

bool parse_hex(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

// "7ffff7dc0000-7ffff7de6000 r-xp 00000000 fe:01 1234      /usr/lib/libc.so.6"
std::optional<Mapping> parse_line(std::string_view line) {
  Mapping mapping;
  const std::string_view range = take_word(line);
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  if (!parse_hex(range.substr(0, dash), mapping.object.low)) return std::nullopt;
  if (!parse_hex(range.substr(dash + 1), mapping.object.high)) return std::nullopt;
  if (mapping.object.low >= mapping.object.high) return std::nullopt;
  mapping.executable = take_word(line).find('x') != std::string_view::npos;
  take_word(line);  // offset: the first mapping of an object starts at its load address
  mapping.object.identity = take_word(line);
  mapping.object.identity += ' ';
  mapping.object.identity += take_word(line);
  const std::size_t path = line.find_first_not_of(' ');
  if (path == std::string_view::npos) return std::nullopt;
  mapping.object.path = line.substr(path);
  if (mapping.object.path[0] != '/' && mapping.object.path != "[vdso]") return std::nullopt;
  return mapping;
}

}  // namespace

std::vector<LoadedObject> parse_maps(std::string_view maps) {
  std::vector<LoadedObject> objects;
  std::optional<Mapping> current;
  const auto flush = [&] {
    if (current && current->executable) objects.push_back(current->object);
    current.reset();
  };
  while (!maps.empty()) {
    const std::size_t end = maps.find('\n');
    const std::optional<Mapping> next = parse_line(maps.substr(0, end));
    maps.remove_prefix(end == std::string_view::npos ? maps.size() : end + 1);
    if (!next) continue;  // anonymous memory between the parts of an object is no boundary
    if (current && current->object.path == next->object.path &&
        current->object.identity == next->object.identity) {
      current->object.high = next->object.high;
      current->executable = current->executable || next->executable;
    } else {
      flush();
      current = next;
    }
  }
  flush();
  return objects;
}

}  // namespace raddle
