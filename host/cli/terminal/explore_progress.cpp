#include "host/cli/terminal/explore_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "host/base/printable.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/outcome.hpp"
#include "host/report/results/explore_report.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

constexpr double kPlainPeriod = 5;  // seconds between plain lines
constexpr std::uint64_t kBarWidth = 10;

}  // namespace

ExploreProgressLine::ExploreProgressLine()
    : terminal_(is_terminal(stderr)), next_(terminal_ ? 0 : kPlainPeriod) {}

ExploreProgressLine::~ExploreProgressLine() {
  if (terminal_ && shown_) complain("\r\x1b[K");
}

void ExploreProgressLine::update(const ExploreProgress& progress) {
  if (progress.seconds < next_) return;
  const SearchCounts& counts = progress.counts;
  const std::uint64_t total = estimated_executions(counts, progress.explored);
  const std::string line = fmt::format(
      "{} of {}, {:.0f}/s, {} queued ({} MB), {}", grouped(counts.executions),
      total > 0 ? fmt::format("an estimated {}", counted(total, "execution")) : "very many",
      progress.seconds > 0 ? static_cast<double>(counts.executions) / progress.seconds : 0.0,
      grouped(progress.queued), progress.queue_bytes / 1'000'000,
      counts.failing == 0 ? "no failure yet" : fmt::format("{} failing", grouped(counts.failing)));
  if (terminal_) {
    const auto filled =
        std::min(kBarWidth, static_cast<std::uint64_t>(progress.explored * double(kBarWidth)));
    complain(fmt::format("\r\x1b[K{:#<{}}{:.<{}}  {}", "", filled, "", kBarWidth - filled, line));
  } else {
    complain(fmt::format("raddle: {}, {}\n", line, duration_text(progress.seconds)));
    next_ = progress.seconds + kPlainPeriod;
  }
  shown_ = true;
}

}  // namespace raddle
