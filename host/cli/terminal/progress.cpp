#include "host/cli/terminal/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/printable.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/outcome.hpp"

namespace raddle {
namespace {

constexpr double kTerminalPeriod = 0.1;  // seconds
constexpr double kPlainPeriod = 60;
constexpr double kBarWidth = 10;
constexpr double kShortest = 0.1;  // seconds that are left

}  // namespace

std::string progress_words(const Progress& progress) {
  std::string text = progress.what;
  if (progress.done > 0 && progress.seconds > 0)
    text += fmt::format(", {:.0f}/s", static_cast<double>(progress.done) / progress.seconds);
  // Once the time is up nobody knows how long the rest takes; microseconds say nothing to anybody.
  if (progress.left && *progress.left > 0)
    text += fmt::format(", {} left", duration_text(std::max(kShortest, *progress.left)));
  return text;
}

std::string progress_bar(const Progress& progress, std::size_t width) {
  const double share = std::clamp(progress.share, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(share * kBarWidth);
  return cut_to_width(
      fmt::format("{:#<{}}{:.<{}}  {}", "", filled, "",
                  static_cast<std::size_t>(kBarWidth) - filled, progress_words(progress)),
      width);
}

ProgressPace::ProgressPace(bool terminal)
    : period_(terminal ? kTerminalPeriod : kPlainPeriod), next_(terminal ? 0 : kPlainPeriod) {}

bool ProgressPace::due(double seconds) {
  if (seconds < next_) return false;
  next_ = seconds + period_;
  return true;
}

ProgressLine::ProgressLine() : terminal_(is_terminal(stderr)), pace_(terminal_) {}

void ProgressLine::update(const Progress& progress) {
  if (!pace_.due(progress.seconds)) return;
  if (terminal_) {
    const int width = text_options(stderr).width;
    complain("\r\x1b[K" + progress_bar(progress, static_cast<std::size_t>(width - 1)));
  } else {
    complain(fmt::format("raddle: {}, after {}\n", progress_words(progress),
                         duration_text(progress.seconds)));
  }
  shown_ = true;
}

void ProgressLine::clear() {
  if (terminal_ && shown_) complain("\r\x1b[K");
  shown_ = false;
}

}  // namespace raddle
