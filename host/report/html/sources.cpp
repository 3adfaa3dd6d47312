#include "host/report/html/sources.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "host/base/text_file.hpp"

namespace raddle {
namespace {

constexpr std::uint32_t kAround = 15;  // lines before and after

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Parts of the file that hold the lines and what is around them.
nlohmann::ordered_json parts_of(const std::vector<std::string_view>& lines,
                                const std::set<std::uint32_t>& shown) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  std::size_t next = 1;  // the first line that is in no part yet
  for (const std::uint32_t line : shown) {
    if (line == 0 || line > lines.size()) continue;
    const std::size_t first = std::max<std::size_t>(next, line > kAround ? line - kAround : 1);
    const std::size_t last = std::min<std::size_t>(lines.size(), std::size_t{line} + kAround);
    if (first > next || parts.empty())
      parts.push_back({{"first", first}, {"lines", nlohmann::ordered_json::array()}});
    for (std::size_t i = first; i <= last; ++i)
      parts.back()["lines"].push_back(std::string(lines[i - 1]));
    next = std::max(next, last + 1);
  }
  return parts;
}

}  // namespace

void ShownSources::add(const Where& where) {
  if (!where.file.empty() && where.line > 0) lines_[where.file].insert(where.line);
}

nlohmann::ordered_json ShownSources::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [file, shown] : lines_) {
    const Result<std::string> text = read_text_file(file);
    if (!text) continue;
    nlohmann::ordered_json parts = parts_of(lines_of(*text), shown);
    if (!parts.empty()) list.push_back({{"file", file}, {"parts", std::move(parts)}});
  }
  return list;
}

}  // namespace raddle
