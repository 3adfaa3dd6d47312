#include "host/cli/running/explore_changes.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "host/process/stream/site_resolver.hpp"
#include "host/report/results/words.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr std::size_t kShownProblems = 5;

Result<std::string> read_patch(const ChangeOptions& options) {
  if (options.patch.empty()) {
    const std::size_t dots = options.changes.find("..");
    return git_diff(options.sources, options.changes.substr(0, dots),
                    options.changes.substr(dots + 2));
  }
  std::ifstream file(options.patch, std::ios::binary);
  if (!file) return Error{fmt::format("cannot read {}: {}", options.patch, std::strerror(errno))};
  return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void remark_on(const AppliedPatch& applied, std::vector<std::string>& remarks) {
  if (!applied.problems.empty()) {
    remarks.push_back(
        fmt::format("The sources are not the newer side of the patch: {} of its "
                    "parts {} no influence on the order.",
                    applied.problems.size(), applied.problems.size() == 1 ? "has" : "have"));
  }
  for (std::size_t i = 0; i < applied.problems.size() && i < kShownProblems; ++i)
    remarks.push_back("  " + applied.problems[i]);
  if (applied.lines.empty()) remarks.emplace_back("No line is known to have changed: plain order.");
}

}  // namespace

Result<ChangeImpact> impact_of(const ChangeOptions& options, Worker& worker, Plan plan,
                               const RunOptions& running) {
  const Result<std::string> text = read_patch(options);
  if (!text) return Error{text.error()};
  const Result<Patch> patch = parse_patch(*text);
  if (!patch) return Error{patch.error()};
  ChangeImpact impact;
  if (patch->hunks.empty() && !text->empty() && !options.patch.empty()) {
    impact.remarks.push_back(
        fmt::format("{}: nothing in it looks like a part of a unified diff.", options.patch));
  }
  const AppliedPatch applied = apply_patch(*patch, options.sources);
  remark_on(applied, impact.remarks);
  if (applied.lines.empty()) return impact;

  set_strategy(plan, kExploringStrategy);
  plan.trace = TraceLevel::kMemory;
  SiteResolver resolver([&worker] { return worker.maps(); });
  ImpactCollector collector(applied.lines,
                            [&](std::uint64_t address) { return resolver.any(address); });
  RunOptions recording = running;
  recording.events = &collector;
  const Result<Execution> execution = worker.run(plan, {}, recording);
  if (!execution) return Error{execution.error()};
  impact.points = collector.points();
  impact.remarks.push_back(fmt::format("The change: {} in {}, {} touched.",
                                       counted(impact.points.lines.size(), "line"),
                                       counted(impact.points.functions.size(), "function"),
                                       counted(impact.points.fields.size(), "field")));
  return impact;
}

}  // namespace raddle
