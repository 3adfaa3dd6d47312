#include "host/cli/running/replay_once.hpp"

#include <optional>

#include "host/campaign/hunt/nearest_passing.hpp"
#include "host/campaign/minimize/finding_criterion.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/workers.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

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
    report.explanation = explain(trace, report.failure, symbols);
    report.timeline = timeline_of(trace, report.failure, symbols);
    mark(report.timeline, report.explanation);
    running.events = nullptr;
    if (passing) {
      Execution failing = recorded_execution(file);
      failing.maps = report.execution.maps;
      report.passing = nearest_passing(**worker, failing, symbols, running).timeline;
    }
  } else if (const std::optional<ConfirmedGroup> group = parse_confirmed_group(file.group)) {
    report.finding = confirmed_story(*group, file.plan, trace);
  }
  return report;
}

}  // namespace raddle
