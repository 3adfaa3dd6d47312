#include "host/cli/running/replay_once.hpp"

#include <optional>

#include "host/campaign/harm/harm_looks.hpp"
#include "host/campaign/hunt/nearest_passing.hpp"
#include "host/campaign/minimize/finding_criterion.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/workers.hpp"
#include "host/describe/explain/lifetimes/lifetime.hpp"
#include "host/describe/explain/misuse.hpp"
#include "host/describe/waited_names.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"
#include "host/symbols/images/unseen_code.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {
namespace {

constexpr std::chrono::seconds kLongestLook{30};  // of an execution that looks for harm
// Of an execution that had been cut off: it may wait for something outside for ever.
constexpr std::chrono::seconds kCutOffAgain{10};

// Whether it did harm is decided as in the hunt, by executing its units in other orders.
FindingStory with_harm(Worker& worker, const Confirmation& seen, const ReplayFile& file,
                       const Execution& replayed, RunOptions running) {
  FindingStory story = seen.story;
  if (!rests_on_inference(seen.finding)) return story;
  Execution recorded = recorded_execution(file);
  recorded.seconds = replayed.seconds;
  if (running.timeout == Clock::duration{}) running.timeout = kLongestLook;
  auto decisions = std::make_shared<std::vector<PlanAim>>(file.aims);
  std::erase_if(*decisions, [](const PlanAim& aim) { return aim.role != AimRole::kDecides; });
  HarmLooks looks(Clock::now());
  story.harm = looks.look(worker, seen.finding, recorded, running, file.plan, decisions).harm;
  if (story.harm.found) story.level = FindingLevel::kHarmful;
  return story;
}

}  // namespace

Result<ReplayReport> replay_once(const std::string& path, const ReplayFile& file,
                                 const PreparedProgram& prepared, Clock::duration timeout,
                                 const std::atomic<bool>& stop, bool passing) {
  Result<UniqueFd> input = repeatable_input();
  if (!input) return Error{input.error()};
  Result<std::unique_ptr<Worker>> worker =
      Worker::start(worker_options(prepared, file, input->get()));
  if (!worker) return Error{worker.error()};
  RunOptions running;
  running.timeout = timeout;
  if (file.outcome == OutcomeKind::kLimit && timeout == Clock::duration{})
    running.timeout = kCutOffAgain;
  running.stop = &stop;
  KeptTrace trace;
  running.events = &trace;
  Result<Execution> execution =
      replay_strictly(**worker, recorded_execution(file), running, ReplayDetail::kFull);
  if (!execution) return Error{execution.error()};
  Symbolizer symbols;
  ReplayReport report{.path = path, .file = file, .execution = std::move(*execution)};
  report.failure = describe(report.execution, symbols);
  report.difference = difference(file, report.execution, report.failure);
  report.interrupted = stop;
  if (!report.difference.empty()) return report;
  if (is_failing(report.execution.kind)) {
    name_waited_for(report.failure, trace, symbols);
    Execution failing = recorded_execution(file);
    failing.maps = report.execution.maps;
    failing.threads = report.execution.threads;
    running.events = nullptr;
    report.explanation = compared_with_passing(explain(trace, report.failure, symbols), **worker,
                                               failing, trace, report.failure, symbols, running);
    report.timeline = timeline_of(trace, report.failure, symbols);
    mark(report.timeline, report.explanation);
    if (passing) {
      report.passing = nearest_passing(**worker, failing, symbols, running).timeline;
    }
  } else if (const std::optional<ConfirmedGroup> group = parse_confirmed_group(file.group)) {
    std::optional<Confirmation> seen = confirmed_by_trace(
        *group, file.plan, trace, synchronise_unseen(unseen_code((*worker)->maps())));
    running.events = nullptr;
    if (seen) report.finding = with_harm(**worker, *seen, file, report.execution, running);
    if (report.finding) explain_lifetime(*report.finding, trace, report.failure, symbols);
  }
  if (report.execution.kind == OutcomeKind::kNone) {
    for (const MisuseLine& misuse : report.failure.misuses) {
      if (misuse.more == 0)
        report.misuses.push_back({misuse, explain_misuse(trace, report.failure, misuse, symbols)});
    }
  }
  return report;
}

}  // namespace raddle
