// raddle hunt: finds what could go wrong, makes it happen, explains it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <thread>

#include "host/campaign/hunt/hunt.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/finding_filter.hpp"
#include "host/cli/running/hunt_journal.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/running/workers.hpp"
#include "host/cli/terminal/campaign_progress.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/explore/process_executor.hpp"
#include "host/process/native.hpp"
#include "host/report/results/hunt/hunt_report.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kLongestNativeRun{10};
constexpr std::uint64_t kMostExecutions = 1'000'000'000'000;

class HuntCommand final : public Subcommand {
 public:
  HuntCommand()
      : Subcommand("hunt",
                   "Finds what could go wrong, makes it happen, and explains it: the main job",
                   Takes::kProgram) {
    options_.timeout = std::chrono::seconds(30);
    options_.decide = "races";
  }

  void add_options(CLI::App& app) override {
    duration(app, "--budget,--time", budget_,
             "How long to hunt: 10s, 2m, 1h; a number alone is seconds")
        ->default_str("60s");
    number(app, "-n,--executions", executions_, 1, kMostExecutions,
           "How many executions at most, but for those that make failures small")
        ->default_str("");
    number(app, "-j,--jobs", jobs_, 1, 256,
           "How many executions at the same time; as many as there are cores, if they write no\n"
           "files and bind no ports")
        ->default_str("");
    app.add_option("--out", out_, "Folder for replay files and campaign.db")
        ->type_name("DIR")
        ->default_str(out_);
    app.add_option("--resume", resume_,
                   "Go on where the hunt of this folder stopped; --out is this folder, then")
        ->type_name("DIR");
    app.parse_complete_callback([this, &app] {
      if (resume_.empty() || app.count("--out") > 0) return;
      out_ = fs::path(store_path(resume_)).parent_path().string();
      if (out_.empty()) out_ = ".";
    });
    app.add_flag("--failing-only", failing_only_,
                 "Exit with 1 only if something fails; what is confirmed is listed all the same");
    add_strict(app, strict_);
    CLI::Option* strict = app.get_option("--strict");
    strict->description(
        strict->get_description() +
        ";\nand for failures that need a wait of a second or more to time out early");
    app.add_flag("--all", all_,
                 "Also list what did no harm, and the candidates that were not confirmed");
    add_atomic(app, options_);
    app.add_flag_callback(
        "--no-joint", [this] { joint_ = false; },
        "A function that calls several functions of an object is not taken for one unit");
    file(app, "--suppressions", findings_.suppressions,
         "What not to look for: a line each of function:NAME, file:GLOB, object:GLOB, id:HEX;\n"
         "failures are always shown");
    number(app, "--seed", options_.seed, 0, std::numeric_limits<std::uint64_t>::max() / 2,
           "First seed; the next ones follow");
    choice(app, "--decide", options_.decide, {"sync", "races", "all"},
           "Which plain memory accesses are decision points, too");
    add_limits(app, options_);
    add_fork(app, options_.restore);
    app.get_option("--timeout")->default_str("30s");
    add_reports(app);
  }

  int run() override {
    if (const Result<bool> writable = check_reports(); !writable) return fail(writable.error());
    Result<PreparedProgram> prepared = prepare_program(program());
    if (!prepared) return fail(prepared.error());
    Result<OutputFolder> folder = OutputFolder::open(out_);
    if (!folder) return fail(folder.error());
    Result<FindingFilter> filter = FindingFilter::open(findings_);
    if (!filter) return fail(filter.error());
    Result<std::unique_ptr<StoredHunt>> stored = std::unique_ptr<StoredHunt>();
    if (!resume_.empty()) {
      stored = store_hunt(*prepared, *folder);
      if (!stored) return fail(stored.error());
    }
    const Result<int> status = hunt_with(*prepared, std::move(*stored), *folder, *filter);
    folder->remove_if_unused();
    return status ? *status : fail(status.error());
  }

 private:
  // A new one, or one that goes on.
  Result<std::unique_ptr<StoredHunt>> store_hunt(const PreparedProgram& prepared,
                                                 OutputFolder& folder) const {
    const bool resumes = !resume_.empty();
    Result<std::unique_ptr<Store>> store =
        resumes
            ? Store::open(resume_, Store::Existing::kRequired)
            : Store::open((fs::path(out_) / kStoreName).string(), Store::Existing::kMadeIfMissing);
    if (!store) return Error{store.error()};
    return StoredHunt::begin(std::move(*store), resumes, prepared, folder);
  }

  // `stored`: the hunt that this one goes on from; null: it is a new one.
  Result<int> hunt_with(const PreparedProgram& prepared, std::unique_ptr<StoredHunt> stored,
                        OutputFolder& folder, FindingFilter& filter) const {
    const Clock::time_point begin = Clock::now();
    const auto seconds = [begin] {
      return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    const std::atomic<bool>& stop = stop_on_signals();
    Result<UniqueFd> input = repeatable_input();
    if (!input) return Error{input.error()};
    const Result<NativeRun> native = natively(prepared, input->get(), stop);
    if (!native) return Error{native.error()};
    WorkerOptions working = worker_options(prepared, options_, input->get());
    working.enabled_capacity = kEnabledCapacity;
    Result<Workers> workers = start_workers(working, std::max(jobs_, 1U));
    if (!workers) return Error{workers.error()};
    std::string one_at_a_time;
    if (jobs_ == 0) {
      Result<std::string> why = start_more(working, *workers, stop);
      if (!why) return Error{why.error()};
      one_at_a_time = std::move(*why);
    }
    if (stored == nullptr) {
      Result<std::unique_ptr<StoredHunt>> made = store_hunt(prepared, folder);
      if (!made) return Error{made.error()};
      stored = std::move(*made);
    }
    HuntOptions options = hunt_options(*stored, stop, filter, begin);
    Result<std::unique_ptr<Worker>> predictor = Worker::start(working);
    if (!predictor) return Error{predictor.error()};
    options.predicting = predictor->get();
    options.predicting_threads = static_cast<unsigned>(workers->size());

    Symbolizer symbols;
    ProgressLine progress;
    Result<HuntResult> result = hunt(*workers, options, symbols, [&](const HuntCounts& counts) {
      progress.update(progress_of(counts, seconds(), in_seconds(budget_)));
    });
    progress.clear();
    if (!result) return Error{result.error()};

    // What was found is shown even when it cannot be saved.
    const FindingLevel least =
        strict_ || all_ ? FindingLevel::kSeen : FindingLevel::kHarmful;  // what is shown
    const auto saved = stored->finish(*result, least);
    const HuntReport report{.program = program().front(),
                            .folder = out_,
                            .all = all_,
                            .strict = strict_,
                            .failing_only = failing_only_,
                            .decide = options.plan.decide,
                            .one_at_a_time = one_at_a_time,
                            .native = *native,
                            .result = *result,
                            .seconds = seconds(),
                            .earlier_executions = stored->earlier().executions,
                            .earlier_failures = stored->not_seen_again(*result),
                            .native_told = is_terminal(stderr) && is_terminal(stdout)};
    const int verdict = show(document_of(report));
    if (!saved) return Error{saved.error()};
    return verdict;
  }

  Result<NativeRun> natively(const PreparedProgram& prepared, int input,
                             const std::atomic<bool>& stop) const {
    NativeOptions options;
    options.input = input;
    options.limit = std::min<Clock::duration>(kLongestNativeRun, budget_ / 4);
    options.ok_exit = options_.ok_exit;
    options.stop = &stop;
    Result<NativeRun> native = run_natively(prepared.command, options);
    // To whoever looks on at once, since what follows takes its time; a file has it in the report.
    if (native && !captures_output() && is_terminal(stderr)) {
      if (const std::string text = native_text(*native); !text.empty()) error_line(text);
    }
    return native;
  }

  // As many workers as there are cores, unless executions would disturb each other: one is looked
  // at. Returns why there is one worker only; empty if there are more, or no more cores.
  Result<std::string> start_more(const WorkerOptions& working, Workers& workers,
                                 const std::atomic<bool>& stop) const {
    const unsigned cores = std::thread::hardware_concurrency();
    if (cores <= 1) return std::string();
    Plan plan = make_plan(options_);
    set_strategy(plan, kPlainStrategy);
    RunOptions running;
    running.timeout = std::min<Clock::duration>(options_.timeout, budget_ / 8);
    running.stop = &stop;
    const Result<Execution> seen = workers.front()->run(plan, {}, running);
    if (!seen) return Error{seen.error()};
    if (!seen->out_of_control.outside.empty()) return seen->out_of_control.outside;
    // Nobody sees what those do.
    if (!seen->out_of_control.empty()) return std::string("it starts processes");
    Result<Workers> more = start_workers(working, cores - 1);
    if (!more) return Error{more.error()};
    std::move(more->begin(), more->end(), std::back_inserter(workers));
    return std::string();
  }

  HuntOptions hunt_options(StoredHunt& stored, const std::atomic<bool>& stop, FindingFilter& filter,
                           Clock::time_point begin) const {
    HuntOptions options;
    options.plan = make_plan(options_);
    options.plan.atomic_blocks = atomic_blocks(options_);  // some of its strategies read them
    options.first_seed = resume_.empty() ? options_.seed : stored.earlier().next_seed;
    // The run without Raddle was a part of it.
    options.budget = std::max<Clock::duration>(budget_ / 2, budget_ - (Clock::now() - begin));
    options.executions = executions_;
    options.timeout = options_.timeout;
    options.stop = &stop;
    options.joint = joint_;
    options.passing = writes("html");
    options.wants = [&filter](const Finding& finding, const ExecutionState& state) {
      return filter.wants(finding, state);
    };
    options.known = stored.known_candidates();
    for (const StoredFinding& failure : stored.earlier().failures)
      options.known_failures.push_back(failure.key);
    options.journal = &stored;
    return options;
  }

  ProgramOptions options_;
  Clock::duration budget_ = std::chrono::seconds(60);
  std::uint64_t executions_ = 0;  // 0: as many as the budget allows
  std::uint32_t jobs_ = 0;        // 0: nobody said
  std::string out_ = "raddle-out";
  std::string resume_;   // a folder or its campaign.db; empty: anew
  bool all_ = false;     // also what did no harm, and what was not confirmed
  bool strict_ = false;  // what did no harm counts for the exit status
  bool joint_ = true;
  FindingOptions findings_;    // suppressions
  bool failing_only_ = false;  // confirmed ones do not count for the exit status
};

}  // namespace

std::unique_ptr<Subcommand> make_hunt_command() { return std::make_unique<HuntCommand>(); }

}  // namespace raddle
