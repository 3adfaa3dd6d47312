#include "host/cli/terminal/campaign_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/printable.hpp"
#include "host/report/results/explore_report.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

// By what is done so far, and by the budget.
double left(double share, double seconds, double budget) {
  const double until_budget = budget - seconds;
  if (share <= 0) return until_budget;
  return std::min(until_budget, seconds * (1 - share) / share);
}

}  // namespace

Progress progress_of(const FuzzCounts& counts, std::uint64_t executions, double seconds,
                     double budget) {
  const double share =
      executions == 0 ? 0
                      : static_cast<double>(counts.executions) / static_cast<double>(executions);
  std::string what = fmt::format(
      "{}{} executions, {}", grouped(counts.executions),
      executions == 0 ? "" : fmt::format(" of {}", grouped(executions)),
      counts.findings == 0 ? "no failure yet" : counted(counts.findings, "distinct failure"));
  if (counts.inconclusive > 0)
    what += fmt::format(", {} inconclusive", grouped(counts.inconclusive));
  return {.what = std::move(what),
          .done = counts.executions,
          .seconds = seconds,
          .share = std::max(share, seconds / budget),
          .left = left(share, seconds, budget)};
}

Progress progress_of(const HuntCounts& counts, double seconds, double budget) {
  Progress progress{
      .done = 0, .seconds = seconds, .share = seconds / budget, .left = budget - seconds};
  const std::string executions = counted(counts.executions, "execution");
  switch (counts.phase) {
    case HuntPhase::kProfile:
      progress.what =
          fmt::format("profiling: {}, {}", executions, counted(counts.candidates, "candidate"));
      break;
    case HuntPhase::kConfirm:
      progress.what = fmt::format("confirming: {}, {} confirmed, {} failing", executions,
                                  counts.confirmed, counts.failing);
      break;
    case HuntPhase::kMinimize:
      progress.what =
          fmt::format("minimizing: {}, {}", executions, counted(counts.failing, "failure"));
      break;
  }
  if (counts.seconds > 0)
    progress.what += fmt::format(", {:.0f}/s", double(counts.executions) / counts.seconds);
  return progress;
}

Progress progress_of(const ExploreProgress& progress, double budget) {
  const SearchCounts& counts = progress.counts;
  const std::uint64_t total = estimated_executions(counts, progress.explored);
  return {.what = fmt::format(
              "{} of {}, {}, {} queued ({} MB)", grouped(counts.executions),
              total > 0 ? fmt::format("an estimated {}", counted(total, "execution")) : "very many",
              counts.failing == 0 ? "no failure yet"
                                  : fmt::format("{} failing", grouped(counts.failing)),
              grouped(progress.queued), progress.queue_bytes / 1'000'000),
          .done = counts.executions,
          .seconds = progress.seconds,
          .share = std::max(progress.explored, progress.seconds / budget),
          .left = left(progress.explored, progress.seconds, budget)};
}

}  // namespace raddle
