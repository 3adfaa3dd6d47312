#include "host/analysis/filter/baseline.hpp"

#include <fmt/format.h>

#include <charconv>

#include "host/base/text_file.hpp"

namespace raddle {
namespace {

constexpr std::string_view kFirstLine = "# raddle baseline 1";
constexpr std::size_t kIdDigits = 16;

// Names may hold anything; a line is a line.
std::string in_one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

}  // namespace

Result<Baseline> Baseline::parse(std::string_view text, const std::string& name) {
  if (take_line(text) != kFirstLine) {
    return Error{
        fmt::format("{}:1: no baseline: the first line is not `{}'; --write-baseline makes one",
                    name, kFirstLine)};
  }
  Baseline made;
  for (std::uint64_t number = 2; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.empty() || line.starts_with('#')) continue;
    const std::string_view digits = line.substr(0, line.find_first_of(" \t"));
    std::uint64_t id = 0;
    const char* end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, id, 16);
    if (error != std::errc() || rest != end || digits.size() != kIdDigits) {
      return Error{fmt::format("{}:{}: expected an id of {} hexadecimal digits, found {}", name,
                               number, kIdDigits, in_quotes(digits))};
    }
    std::string_view about = line.substr(digits.size());
    about.remove_prefix(std::min(about.find_first_not_of(" \t"), about.size()));
    made.known_.insert_or_assign(id, in_one_line(std::string(about)));
  }
  return made;
}

Result<Baseline> Baseline::read(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return Error{text.error()};
  return parse(*text, path);
}

void Baseline::add(const Finding& finding) {
  known_.insert_or_assign(
      finding.place,
      in_one_line(fmt::format("{} {}", finding_kind_text(finding.kind), finding.what)));
}

std::string Baseline::text() const {
  std::string text = fmt::format("{}\n", kFirstLine);
  for (const auto& [id, about] : known_)
    text += fmt::format("{:016x}{}{}\n", id, about.empty() ? "" : " ", about);
  return text;
}

}  // namespace raddle
