// raddle fuzz: many executions, each with its own seed.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "host/campaign/fuzz/fuzz.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/running/workers.hpp"
#include "host/cli/terminal/campaign_progress.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/native.hpp"
#include "host/report/results/fuzz_report.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kMaxExecutions = 1'000'000'000;
constexpr std::uint64_t kLastSeed = std::numeric_limits<std::uint64_t>::max();

// Of an execution that did not deadlock nobody can say which cycle of locks came about in it.
bool is_observable(Confirms confirms) {
  switch (confirms) {
    case Confirms::kAtomicity:
    case Confirms::kRaces:
    case Confirms::kAtomicSets:
    case Confirms::kLifetimes:
      return true;
    case Confirms::kDeadlocks:
    case Confirms::kNothing:
      return false;
  }
  return false;
}

std::set<std::string> observable_strategies() {
  std::set<std::string> names;
  for (const StrategyEntry& entry : strategies()) {
    if (is_observable(entry.confirms)) names.insert(entry.name);
  }
  return names;
}

Result<bool> save(FailureGroup& finding, const PreparedProgram& prepared, OutputFolder& folder) {
  finding.replay_path = folder.next_replay();
  const auto written = write_replay(
      finding.replay_path,
      make_recording(prepared, finding.execution, recorded(finding.failure, finding.explanation)));
  if (!written) return Error{written.error()};
  return true;
}

Result<bool> save_findings(FuzzResult& result, const PreparedProgram& prepared,
                           OutputFolder& folder) {
  for (FailureGroup& finding : result.findings) {
    const Result<bool> saved = save(finding, prepared, folder);
    if (!saved) return saved;
  }
  for (CandidateTally& violation : result.pursued) {
    if (!violation.execution) continue;
    violation.replay_path = folder.next_replay();
    const auto written = write_replay(
        violation.replay_path,
        make_recording(prepared, *violation.execution, recorded(violation.confirmation)));
    if (!written) return Error{written.error()};
  }
  if (!result.first_inconclusive) return true;
  return save(*result.first_inconclusive, prepared, folder);
}

class FuzzCommand final : public Subcommand {
 public:
  FuzzCommand()
      : Subcommand("fuzz", "Many executions, each with another seed; finds failing ones",
                   Takes::kProgram) {
    options_.timeout = std::chrono::seconds(30);
    options_.decide = "races";
  }

  void add_options(CLI::App& app) override {
    const CLI::Option* count =
        number(app, "-n,--executions", executions_, 1, kMaxExecutions,
               "How many executions at most; with --budget alone as many as it allows");
    const CLI::Option* budget =
        duration(app, "--budget,--time", budget_,
                 "How long at most: 500ms, 10s, 2m; a number alone is seconds")
            ->default_str("10m");
    app.final_callback(
        [this, count, budget] { by_time_ = budget->count() > 0 && count->count() == 0; });
    number(app, "-j,--jobs", jobs_, 1, 256, "How many at the same time");
    app.add_flag("--keep-going", keep_going_,
                 "Do not stop at the first failing execution: count them");
    add_strict(app, strict_);
    choice(app, "--observe", observe_, observable_strategies(),
           "Replay each execution under the detector, and count those in which each candidate of\n"
           "that strategy really came about; with any strategy of executions");
    app.add_option("--out", out_, "Folder for replay files")->type_name("DIR")->default_str(out_);
    add_seed(app, options_, "First seed; the next ones follow");
    add_strategy(app, options_, true);
    add_limits(app, options_);
    add_fork(app, options_.restore);
    add_reports(app);
    add_atom(app, options_);
    app.get_option("--timeout")->default_str("30s");
    choice(app, "--decide", options_.decide, {"sync", "races", "all"},
           "Instrumented: which plain accesses are decision points; races: a few recorded "
           "executions show first which ones race. Unmodified: all lets others run after a "
           "release, too, not only before the next operation");
  }

  std::string conflict() const override {
    // A seed range that would wrap around cannot be reported as FIRST, FIRST+1, ...
    if (options_.seed > kLastSeed - (most() - 1))
      return "--seed and -n go beyond the last seed, 2^64-1";
    return {};
  }

  int run() override {
    if (const Result<bool> writable = check_reports(); !writable) return fail(writable.error());
    if (!observe_.empty() && find_strategy(options_.strategy)->needs_candidate &&
        find_strategy(observe_) != find_strategy(options_.strategy)) {
      return fail(
          fmt::format("--strategy {0} can be observed with --observe {0} only", options_.strategy));
    }
    Result<PreparedProgram> prepared = prepare_program(program());
    if (!prepared) return fail(prepared.error());
    Result<OutputFolder> folder = OutputFolder::open(out_);
    if (!folder) return fail(folder.error());
    Result<FuzzResult> result = campaign(*prepared);
    if (!result) {
      folder->remove_if_unused();
      return fail(result.error());
    }
    // What was found is shown even when it cannot be saved.
    const Result<bool> saved = save_findings(*result, *prepared, *folder);
    folder->remove_if_unused();
    const Plan plan = make_plan(options_);
    const FuzzReport report{.program = program().front(),
                            .strategy = options_.strategy,
                            .first_seed = options_.seed,
                            .keep_going = keep_going_,
                            .strict = strict_,
                            .steady_clock = plan.clock == ClockKind::kSteady,
                            .spurious_wakeups = options_.spurious_wakeups,
                            .decides_all = plan.decide == DecideKind::kEvery,
                            .result = *result};
    const int status = show(document_of(report));
    return saved ? status : fail(saved.error());
  }

 private:
  // Seconds of the program without control, the median of a few; 0 if it does not end that way.
  double natively(const PreparedProgram& prepared, int input) const {
    constexpr std::size_t kRuns = 3;
    NativeOptions options;
    options.input = input;
    options.limit = options_.timeout;
    options.stop = &stop_on_signals();
    std::vector<double> seconds;
    for (std::size_t i = 0; i < kRuns; ++i) {
      const Result<NativeRun> run = run_natively(prepared.command, options);
      if (!run || run->end == NativeRun::End::kNoEnd || run->end == NativeRun::End::kInterrupted)
        return 0;
      seconds.push_back(run->seconds);
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[kRuns / 2];
  }

  Plan plan() const {
    Plan plan = make_plan(options_);
    const StrategyEntry* observed = find_strategy(observe_);
    if (observed != nullptr && observed->uses_blocks) plan.atomic_blocks = atomic_blocks(options_);
    return plan;
  }

  Result<FuzzResult> campaign(const PreparedProgram& prepared) const {
    const std::atomic<bool>& stop = stop_on_signals();
    Result<UniqueFd> input = repeatable_input();
    if (!input) return Error{input.error()};
    const bool for_atomicity = find_strategy(options_.strategy)->confirms == Confirms::kAtomicity;
    const double native_seconds = for_atomicity ? natively(prepared, input->get()) : 0;
    Result<Workers> workers =
        start_workers(worker_options(prepared, options_, input->get()), jobs_);
    if (!workers) return Error{workers.error()};

    FuzzOptions options;
    options.plan = plan();
    options.first_seed = options_.seed;
    options.executions = most();
    options.keep_going = keep_going_;
    if (const StrategyEntry* observed = find_strategy(observe_))
      options.observe = observed->confirms;
    options.measure_length = find_strategy(options_.strategy)->needs_length && options_.length == 0;
    options.timeout = options_.timeout;
    options.budget = budget_;
    options.stop = &stop;
    Symbolizer symbols;
    ProgressLine progress;
    Result<FuzzResult> result =
        fuzz(*workers, options, symbols, [&](const FuzzCounts& counts, double seconds) {
          progress.update(
              progress_of(counts, by_time_ ? 0 : executions_, seconds, in_seconds(budget_)));
        });
    if (!result) return result;
    result->native_seconds = native_seconds;
    result->unseen = unseen_code(workers->front()->maps());
    return result;
  }

  // Who says how long does not mean the default number.
  std::uint64_t most() const { return by_time_ ? kMaxExecutions : executions_; }

  ProgramOptions options_;
  bool by_time_ = false;  // and not by number
  std::string observe_;   // a strategy, or nothing
  std::uint64_t executions_ = 1000;
  Clock::duration budget_ = std::chrono::minutes(10);
  std::uint32_t jobs_ = 1;
  bool strict_ = false;
  bool keep_going_ = false;
  std::string out_ = "raddle-out";
};

}  // namespace

std::unique_ptr<Subcommand> make_fuzz_command() { return std::make_unique<FuzzCommand>(); }

}  // namespace raddle
