#include "host/cli/terminal/status_line.hpp"

#include <cstdio>

#include "host/base/printable.hpp"
#include "host/cli/terminal/terminal.hpp"

namespace raddle {
namespace {

constexpr std::chrono::milliseconds kPeriod{100};

}  // namespace

StatusLine::StatusLine() : terminal_(is_terminal(stderr)) {}

void StatusLine::update(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now < next_) return;
  next_ = now + kPeriod;
  shown_ = true;
  const int width = text_options(stderr).width;
  complain("\r\x1b[K" + cut_to_width(text, static_cast<std::size_t>(width > 1 ? width - 1 : 1)));
}

void StatusLine::clear() {
  if (shown_) complain("\r\x1b[K");
  shown_ = false;
}

}  // namespace raddle
