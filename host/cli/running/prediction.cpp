#include "host/cli/running/prediction.hpp"

#include "host/cli/terminal/terminal.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

Result<bool> save_witnesses(Worker& worker, const PreparedProgram& prepared,
                            const RunOptions& running, OutputFolder& folder,
                            PredictReport& report) {
  Symbolizer symbols;
  FailureGroups groups;
  for (Execution& execution : report.result.failing) groups.add(std::move(execution), symbols);
  report.result.failing.clear();
  report.failures = groups.take();
  for (FailureGroup& group : report.failures) {
    group.replay_path = folder.next_replay();
    const auto written = write_replay(
        group.replay_path, make_recording(prepared, group.execution, recorded(group.failure)));
    if (!written) return Error{written.error()};
    replay_and_explain(group, worker, running, symbols);
  }
  for (const PredictedFinding& one : report.result.findings) {
    report.replays.push_back(folder.next_replay());
    const auto written =
        write_replay(report.replays.back(), make_recording(prepared, one.witness, recorded(one)));
    if (!written) return Error{written.error()};
  }
  if (const std::optional<Execution>& stray = report.result.stray) {
    report.stray_replay = folder.next_replay();
    const auto written = write_replay(
        report.stray_replay,
        make_recording(prepared, *stray,
                       {"", "does not follow a schedule that the causal model calls feasible"}));
    if (!written) return Error{written.error()};
  }
  return true;
}

Result<bool> predict_and_save(Worker& worker, const Execution& recorded,
                              const PreparedProgram& prepared, const PredictOptions& options,
                              OutputFolder& folder, PredictReport& report) {
  const Clock::time_point begin = Clock::now();
  report.unmodified = !worker.instrumented();
  Result<PredictResult> result = predict(worker, recorded, options);
  if (!result) return Error{result.error()};
  report.result = std::move(*result);
  const Result<bool> saved = save_witnesses(worker, prepared, options.running, folder, report);
  report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return saved;
}

}  // namespace raddle
