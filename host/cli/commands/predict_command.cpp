// raddle predict: what one saved execution implies about others.
#include <fmt/format.h>

#include "host/campaign/predict/predict.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prediction.hpp"
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
      : Subcommand("predict", "What can go wrong in other schedules of one saved execution",
                   Takes::kReplayFile) {}

  void add_options(CLI::App& app) override {
    app.add_option("file", file_, "The replay file, of `raddle run --decide values --save FILE'")
        ->required()
        ->type_name("FILE");
    app.add_option("--out", out_, "Folder for the replay files of witnesses")
        ->type_name("DIR")
        ->default_str(out_);
    duration(app, "--timeout", timeout_, "Time limit of an execution")->default_str("30s");
    number(app, "-j,--jobs", jobs_, 1, 256, "How many queries at the same time");
    number(app, "--effort", effort_, 1, 4'000'000'000,
           "Limit of a query, in the solver's units of work");
    app.add_flag("--strict", strict_,
                 "Violations of atomicity that nobody declared are shown and count, even if they "
                 "did no harm");
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
    options.threads = jobs_;
    options.strict = strict_;
    options.rules.effort = effort_;
    options.plain = file.plan;
    options.plain.by_values = false;
    PredictReport report;
    report.strict = strict_;
    report.file = file_;
    report.program = file.program;
    const Result<bool> done =
        predict_and_save(**worker, recorded_execution(file), prepared, options, folder, report);
    if (!done) return Error{done.error()};
    return report;
  }

  bool strict_ = false;
  std::uint32_t jobs_ = 1;
  std::uint32_t effort_ = causal::Rules().effort;
  std::string file_;
  std::string out_ = "raddle-out";
  Clock::duration timeout_ = std::chrono::seconds(30);
};

}  // namespace

std::unique_ptr<Subcommand> make_predict_command() { return std::make_unique<PredictCommand>(); }

}  // namespace raddle
