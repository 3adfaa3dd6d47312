#include "host/base/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace raddle {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 20;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "re"));
  if (file == nullptr) return Error{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  std::string text;
  char buffer[1 << 14];
  errno = 0;
  while (std::feof(file.get()) == 0 && std::ferror(file.get()) == 0) {
    text.append(buffer, std::fread(buffer, 1, sizeof buffer, file.get()));
    if (text.size() > kMostBytes)
      return Error{fmt::format("cannot read {}: it has more than {} MB", path, kMostBytes >> 20)};
  }
  if (std::ferror(file.get()) != 0)
    return Error{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  return text;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  constexpr std::string_view kBlank = " \t\r\f\v";
  const std::size_t first = line.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string shown = "`";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f)
      shown += fmt::format("\\x{:02x}", byte);
    else
      shown += c;
  }
  return shown + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace raddle
