#include "host/check/races.hpp"

#include <fmt/format.h>

#include <set>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/race/all_races.hpp"
#include "host/analysis/race/race.hpp"
#include "host/base/proc_file.hpp"
#include "host/check/framework_frames.hpp"
#include "host/process/stream/site_resolver.hpp"
#include "host/symbols/images/unseen_code.hpp"
#include "host/trace/object_names.hpp"
#include "protocol/inprocess_abi.h"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr unsigned kQuiet = 3;  // so many executions in a row without a new place end the search
constexpr unsigned kAtMost = 20;
constexpr std::size_t kStrategies = 2;  // of StrategyEntry::in_profiles, in turn

bool is_certain(const Finding& finding) {
  return finding.kind == FindingKind::race && finding.level == FindingLevel::kConfirmed;
}

class Search {
 public:
  explicit Search(InProcessRunner& runner) : runner_(runner) {
    header_.unseen = synchronise_unseen(unseen_code(read_proc_file("/proc/self/maps")));
  }

  // One execution. Whether a place was new.
  bool look(const Plan& plan) {
    Pipeline pipeline{AnalysisOptions{}};
    auto places = std::make_unique<AllRaces>(pipeline.state());
    const AllRaces& racing = *places;
    pipeline.add(std::move(places));
    pipeline.add(std::make_unique<RaceDetector>(pipeline.state()));
    pipeline.begin(header_);
    runner_.decide_at(found_.sites);
    runner_.record_in_child(plan, pipeline);
    pipeline.end({});
    bool grew = false;
    // Atomic operations decide anyway.
    for (const SiteId site : racing.plain()) grew |= add(pipeline.state().site(site).code);
    keep_first(pipeline, plan);
    return grew;
  }

  Races take() { return std::move(found_); }

 private:
  bool add(std::uint64_t address) {
    if (address == 0 || addresses_.size() >= kMaxAims || !addresses_.insert(address).second)
      return false;
    found_.sites.push_back({.site = address, .context = 0, .role = AimRole::kDecides});
    return true;
  }

  void keep_first(const Pipeline& pipeline, const Plan& plan) {
    if (found_.race) return;
    for (const Finding& finding : pipeline.findings()) {
      if (!is_certain(finding)) continue;
      found_.race = DataRace{describe(finding, pipeline.names(), sources_),
                             plan,
                             {runner_.log().begin(), runner_.log().end()}};
      return;
    }
  }

  InProcessRunner& runner_;
  TraceHeader header_;
  StorySources sources_;
  std::set<std::uint64_t> addresses_;
  Races found_;
};

std::string step_text(const StoryStep& step) {
  std::string text = fmt::format("  {} {} {} in {}{}\n", step.thread_name,
                                 finding_role_text(step.role), step.object, step.where.function,
                                 step.place.empty() ? "" : fmt::format(" ({})", step.place));
  if (!step.source.empty()) text += fmt::format("      {}\n", step.source);
  std::string locks;
  for (const std::string& lock : step.locks) locks += (locks.empty() ? "" : ", ") + lock;
  text += fmt::format("      holds {}\n", locks.empty() ? "no lock" : locks);
  for (const Where& caller : step.stack) {
    if (is_framework_function(caller.function)) break;
    if (caller.function != step.where.function)
      text += fmt::format("      called in {}\n", caller.function);
  }
  return text;
}

}  // namespace

Races find_races(InProcessRunner& runner, const Plan& plan) {
  if (raddle_session_instrumented() == 0) return {};
  Search search(runner);
  unsigned quiet = 0;
  for (unsigned i = 0; i < kAtMost && quiet < kQuiet; ++i) {
    Plan recorded = plan;
    set_strategy(recorded, strategy_at(&StrategyEntry::in_profiles, i % kStrategies).name);
    recorded.seed = 1 + i;
    recorded.trace = TraceLevel::kMemory;
    recorded.decide = DecideKind::kRaces;
    recorded.enabled_log = recorded.by_values = false;
    quiet = search.look(recorded) ? 0 : quiet + 1;
  }
  return search.take();
}

std::string race_text(const DataRace& race) {
  std::string text = fmt::format("data race: {}\n", race.story.what);
  for (const StoryStep& step : race.story.steps) text += "\n" + step_text(step);
  text +=
      "\n  Nothing orders the two: the language gives the program no meaning, whatever it does "
      "here.\n";
  return text;
}

}  // namespace raddle
