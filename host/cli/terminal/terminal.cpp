#include "host/cli/terminal/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "host/cli/terminal/exit_status.hpp"

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

void print(std::string_view text) {
  if (output_error != 0) return;
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) output_error = errno != 0 ? errno : EIO;
}

// Standard error is the last resort: there is nobody to tell when it fails.
void complain(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void error_line(std::string_view text) { complain(fmt::format("raddle: {}\n", text)); }

int fail(std::string_view error) {
  error_line(error);
  return kBadInput;
}

bool output_complete() {
  if (output_error == 0) return true;
  error_line(fmt::format("cannot write to standard output: {}", std::strerror(output_error)));
  return false;
}

}  // namespace raddle
