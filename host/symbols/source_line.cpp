#include "host/symbols/source_line.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "host/base/printable.hpp"

namespace raddle {

SourceLines::File SourceLines::read(const std::string& path) {
  File file;
  // A path out of a trace may be a device or a pipe, which would never end.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return file;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error || bytes > kMostBytes) return file;
  std::ifstream in(path, std::ios::binary);
  file.text.resize(static_cast<std::size_t>(bytes));
  in.read(file.text.data(), static_cast<std::streamsize>(bytes));
  file.text.resize(static_cast<std::size_t>(in.gcount()));
  for (std::size_t at = 0; at < file.text.size();) {
    file.begins.push_back(at);
    const std::size_t end = file.text.find('\n', at);
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return file;
}

std::string SourceLines::line(const std::string& path, std::uint32_t number) {
  if (path.empty() || number == 0) return {};
  auto found = files_.find(path);
  if (found == files_.end()) {
    if (files_.size() >= kMostFiles) files_.clear();
    found = files_.emplace(path, read(path)).first;
  }
  const File& file = found->second;
  if (number > file.begins.size()) return {};
  std::size_t begin = file.begins[number - 1];
  std::size_t end = file.text.find('\n', begin);
  if (end == std::string::npos) end = file.text.size();
  const auto blank = [&](std::size_t at) {
    return file.text[at] == ' ' || file.text[at] == '\t' || file.text[at] == '\r';
  };
  while (begin < end && blank(begin)) ++begin;
  while (end > begin && blank(end - 1)) --end;
  constexpr std::size_t kLongest = 500;
  return printable(std::string_view(file.text).substr(begin, std::min(end - begin, kLongest)));
}

}  // namespace raddle
