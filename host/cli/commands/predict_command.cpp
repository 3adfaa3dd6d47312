// raddle predict: what one saved execution implies about others.
#include <fmt/format.h>

#include "host/campaign/minimize/finding_criterion.hpp"
#include "host/campaign/predict/predict.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/running/workers.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/explore/process_executor.hpp"
#include "host/process/strict_replay.hpp"
#include "host/report/results/predict_report.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

class PredictCommand final : public Subcommand {
 public:
  PredictCommand()
      : Subcommand("predict", "Races and deadlocks that one saved execution implies",
                   Takes::kReplayFile) {}

  void add_options(CLI::App& app) override {
    app.add_option("file", file_, "The replay file, of `raddle run --decide values --save FILE'")
        ->required()
        ->type_name("FILE");
    app.add_option("--out", out_, "Folder for the replay files of witnesses")
        ->type_name("DIR")
        ->default_str(out_);
    duration(app, "--timeout", timeout_, "Time limit of an execution")->default_str("30s");
    add_format(app);
  }

  int run() override {
    Result<ReplayFile> file = read_replay(file_);
    if (!file) return fail(file.error());
    if (!file->plan.by_values)
      return fail(
          fmt::format("{}: what threads saw is not to be had from this execution: record "
                      "one with `{} run --decide values --save FILE -- PROG'",
                      file_, tool_name()));
    Result<PreparedProgram> prepared = prepare_recorded_program(*file);
    if (!prepared) return fail(prepared.error());
    Result<OutputFolder> folder = OutputFolder::open(out_);
    if (!folder) return fail(folder.error());
    const Result<PredictReport> report = predict_with(*file, *prepared, *folder);
    folder->remove_if_unused();
    if (!report) return fail(report.error());
    return show(document_of(*report));
  }

 private:
  Result<PredictReport> predict_with(const ReplayFile& file, const PreparedProgram& prepared,
                                     OutputFolder& folder) const {
    const Clock::time_point begin = Clock::now();
    Result<UniqueFd> input = repeatable_input();
    if (!input) return Error{input.error()};
    WorkerOptions working = worker_options(prepared, file, input->get());
    working.enabled_capacity = kEnabledCapacity;
    working.restore = true;
    Result<std::unique_ptr<Worker>> worker = Worker::start(working);
    if (!worker) return Error{worker.error()};
    PredictOptions options;
    options.rules.cycles_end = true;
    options.running.timeout = timeout_;
    options.running.stop = &stop_on_signals();
    PredictReport report;
    report.file = file_;
    report.program = file.program;
    report.unmodified = !(*worker)->instrumented();
    Result<PredictResult> result = predict(**worker, recorded_execution(file), options);
    if (!result) return Error{result.error()};
    report.result = std::move(*result);
    const Result<bool> saved = save(report, prepared, folder, **worker, options.running);
    if (!saved) return Error{saved.error()};
    report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return report;
  }

  static Result<bool> save(PredictReport& report, const PreparedProgram& prepared,
                           OutputFolder& folder, Worker& worker, const RunOptions& running) {
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
    for (const PredictedRace& race : report.result.races) {
      report.race_replays.push_back(folder.next_replay());
      const ConfirmedGroup group = confirmed_group(race.confirmation.finding, &race.candidate);
      const auto written = write_replay(
          report.race_replays.back(),
          make_recording(prepared, race.witness,
                         {confirmed_group_text(group), race.confirmation.finding.what}));
      if (!written) return Error{written.error()};
    }
    return true;
  }

  std::string file_;
  std::string out_ = "raddle-out";
  Clock::duration timeout_ = std::chrono::seconds(30);
};

}  // namespace

std::unique_ptr<Subcommand> make_predict_command() { return std::make_unique<PredictCommand>(); }

}  // namespace raddle
