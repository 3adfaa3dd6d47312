// raddle minimize: the same finding with as few switches as possible.
#include <fmt/format.h>

#include "host/campaign/failures/explain.hpp"
#include "host/campaign/minimize/finding_criterion.hpp"
#include "host/campaign/minimize/minimize.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/running/workers.hpp"
#include "host/cli/terminal/campaign_progress.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"
#include "host/report/results/minimize_report.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

constexpr std::chrono::milliseconds kSavePeriod{200};

// "1.replay" -> "1.min.replay"
std::string beside(const std::string& file) {
  constexpr std::string_view kSuffix = ".replay";
  const bool usual = file.ends_with(kSuffix);
  return (usual ? file.substr(0, file.size() - kSuffix.size()) : file) + ".min.replay";
}

// Writes what was found so far, now and then and at the end: nothing is lost when the process is.
class Saver {
 public:
  Saver(const ReplayFile& recorded, std::string path)
      : recorded_(recorded), path_(std::move(path)) {}

  void better(const Execution& execution) {
    if (Clock::now() < next_) return;
    save(execution);
    next_ = Clock::now() + kSavePeriod;
  }
  // `explanation` is of this execution; what was recorded explains a longer one.
  void save(const Execution& execution, const std::string& explanation = {}) {
    ReplayFile file = recorded_;
    file.explanation = explanation;
    file.level.clear();
    file.raddle_version = RADDLE_VERSION;
    file.log = execution.log;
    const auto written = write_replay(path_, file);
    error_ = written ? std::string() : written.error();
  }
  const std::string& error() const { return error_; }
  const std::string& path() const { return path_; }

 private:
  const ReplayFile& recorded_;
  const std::string path_;
  Clock::time_point next_{};
  std::string error_;
};

class MinimizeCommand final : public Subcommand {
 public:
  MinimizeCommand()
      : Subcommand("minimize", "A saved execution with as few switches as possible",
                   Takes::kReplayFile) {}

  void add_options(CLI::App& app) override {
    app.add_option("file", file_, "The replay file")->required()->type_name("FILE");
    app.add_option("-o,--output", out_,
                   "Where the smaller one goes (beside FILE, as NAME.min.replay)")
        ->type_name("FILE");
    duration(app, "--time,--budget", time_,
             "How long to try: 500ms, 10s, 2m; a number alone is seconds")
        ->default_str("30s");
    duration(app, "--timeout", timeout_, "Time limit of one execution");
    add_fork(app, restore_);
    add_format(app);
  }

  int run() override {
    Result<ReplayFile> file = read_replay(file_);
    if (!file) return fail(file.error());
    const bool failing = is_failing(file->outcome);
    const std::optional<ConfirmedGroup> group = parse_confirmed_group(file->group);
    const std::optional<SoughtFinding> confirmed = group ? sought_in(*group) : std::nullopt;
    if (!failing && !confirmed) {
      return fail(
          fmt::format("{}: the recorded execution did not fail ({}): there is nothing to keep",
                      file_, outcome_text(file->outcome)));
    }
    Result<PreparedProgram> prepared = prepare_recorded_program(*file);
    if (!prepared) return fail(prepared.error());
    const std::string path = out_.empty() ? beside(file_) : out_;
    if (const Result<bool> writable = check_can_write(path); !writable) {
      return fail(
          fmt::format("cannot write {}: {}; choose another with -o", path, writable.error()));
    }

    const std::atomic<bool>& stop = stop_on_signals();
    Result<UniqueFd> input = repeatable_input();
    if (!input) return fail(input.error());
    WorkerOptions working = worker_options(*prepared, *file, input->get());
    working.restore = restore_;
    Result<std::unique_ptr<Worker>> worker = Worker::start(std::move(working));
    if (!worker) return fail(worker.error());

    Symbolizer symbols;
    const std::unique_ptr<Criterion> keep =
        failing ? std::unique_ptr<Criterion>(
                      std::make_unique<FailureCriterion>(file->outcome, file->group, symbols))
                : std::make_unique<FindingCriterion>(*confirmed);
    Saver saver(*file, path);
    const Result<Minimized> result = search(**worker, *file, *keep, saver, stop);
    if (!result) return fail(result.error());
    MinimizeReport report{file_, file->program, path, *result, {}};
    if (result->gone.empty()) {
      saver.save(result->execution);
      report.explained = explained_by(**worker, result->execution, symbols);
      const Explained& explained = report.explained;
      if (failing)
        saver.save(result->execution,
                   recorded(explained.failure, explained.explanation).explanation);
    }
    const int status = show(document_of(report));
    return saver.error().empty() ? status : fail(saver.error());
  }

 private:
  Result<Minimized> search(Worker& worker, const ReplayFile& file, Criterion& keep, Saver& saver,
                           const std::atomic<bool>& stop) const {
    ProgressLine progress;
    const Clock::time_point begin = Clock::now();
    MinimizeOptions options;
    options.time = time_;
    options.timeout = timeout_;
    options.stop = &stop;
    options.better = [&](const Execution& execution, const ScheduleCost& cost) {
      saver.better(execution);
      const double seconds = in_seconds(Clock::now() - begin);
      const double budget = in_seconds(time_);
      progress.update(
          {.what = fmt::format("minimizing: {}, {}", counted(cost.preemptions, "preemption"),
                               counted(cost.steps, "step")),
           .seconds = seconds,
           .share = seconds / budget,
           .left = budget - seconds});
    };
    return minimize(worker, recorded_execution(file), keep, options);
  }

  std::string file_;
  std::string out_;  // empty: beside the file
  Clock::duration time_ = std::chrono::seconds(30);
  Clock::duration timeout_{};
  bool restore_ = true;
};

}  // namespace

std::unique_ptr<Subcommand> make_minimize_command() { return std::make_unique<MinimizeCommand>(); }

}  // namespace raddle
