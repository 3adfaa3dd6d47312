#include "host/cli/terminal/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace raddle {
namespace {

int output_error = 0;

}  // namespace

void open_missing_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    // Read-only on purpose: what is written to a stream that the user closed is an error, not lost.
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) _exit(2);
  }
}

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

TextOptions text_options(std::FILE* stream) {
  TextOptions options;
  if (!is_terminal(stream)) return options;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  options.colour = (no_colour == nullptr || *no_colour == 0) &&
                   (term == nullptr || std::strcmp(term, "dumb") != 0);
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    options.width = std::clamp<int>(size.ws_col, 40, 160);
  }
  return options;
}

std::string bold(std::string_view text, const TextOptions& options) {
  return options.colour ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

std::string counted(unsigned long long number, const char* noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
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

void print(std::string_view text) {
  if (output_error != 0) return;
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) output_error = errno != 0 ? errno : EIO;
}

// Standard error is the last resort: there is nobody to tell when it fails.
void complain(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void error_line(std::string_view text) { complain(fmt::format("raddle: {}\n", text)); }

bool output_complete() {
  if (output_error == 0) return true;
  error_line(fmt::format("cannot write to standard output: {}", std::strerror(output_error)));
  return false;
}

}  // namespace raddle
