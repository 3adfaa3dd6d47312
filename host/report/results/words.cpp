#include "host/report/results/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "host/base/printable.hpp"
#include "host/process/outcome.hpp"

namespace raddle {

std::string bold(std::string_view text, const TextOptions& options) {
  return options.colour ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

std::string counted(unsigned long long number, const char* noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < 10'000'000) return fmt::format("{} kB", bytes / 1000);
  return fmt::format("{} MB", bytes / 1'000'000);
}

std::string paragraph(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::string line;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  return result + std::string(indent, ' ') + line + "\n";
}

std::string tool_name() {
  const std::string name = program_invocation_name;
  return name.find('/') != std::string::npos ? name : "raddle";
}

std::string shell_quoted(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string synchronisation_only_text() {
  return "This program shows its synchronisation only; built with raddle-c++ it shows its memory "
         "accesses, and more is found.";
}

std::string few_executions_text(std::uint64_t executions, double seconds) {
  constexpr std::uint64_t kFew = 20;
  if (executions == 0 || executions >= kFew) return {};
  return fmt::format(
      "Only {}, one in {}: that is hardly a search. Give it a longer --budget, or a test that does "
      "less in one execution.",
      counted(executions, "execution"), duration_text(seconds / static_cast<double>(executions)));
}

std::string replay_lines(const std::string& path, std::size_t gap) {
  const std::string spaces(gap, ' ');
  return fmt::format("   again{0}{1} replay {2}\n   in gdb{3}{1} replay --gdb {2}\n", spaces,
                     tool_name(), shell_quoted(path), spaces.substr(1));
}

}  // namespace raddle
