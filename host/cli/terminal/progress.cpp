#include "host/cli/terminal/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "host/base/printable.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/outcome.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

constexpr double kPlainPeriod = 5;  // seconds between plain lines
constexpr std::uint64_t kBarWidth = 10;

}  // namespace

ProgressLine::ProgressLine(std::uint64_t executions)
    : executions_(executions),
      terminal_(is_terminal(stderr)),
      next_(terminal_ ? 0 : kPlainPeriod) {}

ProgressLine::~ProgressLine() {
  if (terminal_ && shown_) complain("\r\x1b[K");
}

void ProgressLine::update(const FuzzCounts& counts, double seconds) {
  if (seconds < next_) return;
  std::string line = fmt::format(
      "{} of {} executions, {:.0f}/s, {}", grouped(counts.executions), grouped(executions_),
      seconds > 0 ? static_cast<double>(counts.executions) / seconds : 0.0,
      counts.findings == 0 ? "no failure yet" : counted(counts.findings, "distinct failure"));
  if (counts.inconclusive > 0)
    line += fmt::format(", {} inconclusive", grouped(counts.inconclusive));
  if (terminal_) {
    const std::uint64_t filled = kBarWidth * counts.executions / executions_;
    complain(fmt::format("\r\x1b[K{:#<{}}{:.<{}}  {}", "", filled, "", kBarWidth - filled, line));
  } else {
    complain(fmt::format("raddle: {}, {}\n", line, duration_text(seconds)));
    next_ = seconds + kPlainPeriod;
  }
  shown_ = true;
}

}  // namespace raddle
