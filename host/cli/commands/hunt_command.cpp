// raddle hunt: finds what could go wrong, makes it happen, explains it.
#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "host/campaign/hunt/hunt.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/finding_filter.hpp"
#include "host/cli/running/hunt_state.hpp"
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
constexpr std::size_t kSavedConfirmed = 10;

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
    duration(app, "--budget,--time", budget_, "How long to hunt: 10s, 2m, 1h")->default_str("60s");
    number(app, "-j,--jobs", jobs_, 1, 256, "How many executions at the same time");
    app.add_option("--out", out_, "Folder for replay files and hunt.json")
        ->type_name("DIR")
        ->default_str(out_);
    app.add_option("--resume", resume_,
                   "Go on where the hunt of this folder stopped; --out is this folder, then")
        ->type_name("DIR");
    app.parse_complete_callback([this, &app] {
      if (resume_.empty() || app.count("--out") > 0) return;
      out_ = fs::path(hunt_state_path(resume_)).parent_path().string();
    });
    app.add_flag("--failing-only", failing_only_,
                 "Exit with 1 only if something fails; what is confirmed is listed all the same");
    add_strict(app, strict_);
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
    Result<HuntState> earlier = earlier_state(*prepared);
    if (!earlier) return fail(earlier.error());
    Result<OutputFolder> folder = OutputFolder::open(out_);
    if (!folder) return fail(folder.error());
    Result<FindingFilter> filter = FindingFilter::open(findings_);
    if (!filter) return fail(filter.error());
    const Result<int> status = hunt_with(*prepared, *earlier, *folder, *filter);
    folder->remove_if_unused();
    return status ? *status : fail(status.error());
  }

 private:
  // What an earlier hunt knew, checked; an empty state for a new one.
  Result<HuntState> earlier_state(const PreparedProgram& prepared) const {
    if (resume_.empty()) return HuntState{};
    const std::string path = hunt_state_path(resume_);
    Result<HuntState> state = read_hunt_state(path);
    if (!state) return state;
    const auto same = check_same_hunt(path, *state, prepared);
    if (!same) return Error{same.error()};
    return state;
  }

  Result<int> hunt_with(const PreparedProgram& prepared, const HuntState& earlier,
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
    Result<Workers> workers =
        start_workers(worker_options(prepared, options_, input->get()), jobs_);
    if (!workers) return Error{workers.error()};
    HuntOptions options = hunt_options(earlier, stop, filter, begin);
    WorkerOptions predicting = worker_options(prepared, options_, input->get());
    predicting.enabled_capacity = kEnabledCapacity;
    Result<std::unique_ptr<Worker>> predictor = Worker::start(predicting);
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
    const Result<bool> saved = save(*result, prepared, earlier, folder, seconds());
    const HuntReport report{.program = program().front(),
                            .folder = out_,
                            .all = all_,
                            .strict = strict_,
                            .failing_only = failing_only_,
                            .native = *native,
                            .result = *result,
                            .seconds = seconds(),
                            .earlier_executions = earlier.executions,
                            .earlier_failures = not_seen_again(*result, earlier),
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

  HuntOptions hunt_options(const HuntState& earlier, const std::atomic<bool>& stop,
                           FindingFilter& filter, Clock::time_point begin) const {
    HuntOptions options;
    options.plan = make_plan(options_);
    options.plan.atomic_blocks = atomic_blocks(options_);  // some of its strategies read them
    options.first_seed = resume_.empty() ? options_.seed : earlier.next_seed;
    // The run without Raddle was a part of it.
    options.budget = std::max<Clock::duration>(budget_ / 2, budget_ - (Clock::now() - begin));
    options.timeout = options_.timeout;
    options.stop = &stop;
    options.joint = joint_;
    options.passing = writes("html");
    options.wants = [&filter](const Finding& finding, const ExecutionState& state) {
      return filter.wants(finding, state);
    };
    options.known = earlier.candidates;
    for (const HuntState::Failure& failure : earlier.failures) {
      options.known_failures.push_back(failure.group);
    }
    return options;
  }

  // Replay files, then the state that names them.
  Result<bool> save(HuntResult& result, const PreparedProgram& prepared, const HuntState& earlier,
                    OutputFolder& folder, double seconds) const {
    for (HuntFailure& failure : result.failures) {
      failure.group.replay_path = folder.next_replay();
      const auto written =
          write_replay(failure.group.replay_path,
                       make_recording(prepared, failure.smallest,
                                      recorded(failure.failure, failure.group.explanation)));
      if (!written) return Error{written.error()};
    }
    for (FoundMisuse& misuse : result.misuses) {
      misuse.replay_path = folder.next_replay();
      const auto written = write_replay(
          misuse.replay_path, make_recording(prepared, misuse.execution, recorded(misuse)));
      if (!written) return Error{written.error()};
    }
    if (std::optional<FailureGroup>& first = result.first_inconclusive) {
      first->replay_path = folder.next_replay();
      const auto written = write_replay(
          first->replay_path, make_recording(prepared, first->execution, recorded(first->failure)));
      if (!written) return Error{written.error()};
    }
    std::size_t saved = 0;
    const FindingLevel least =
        strict_ || all_ ? FindingLevel::kSeen : FindingLevel::kHarmful;  // what is shown
    for (HuntFinding& one : result.candidates) {
      const bool shown = one.level >= least && one.level != FindingLevel::kFailing;
      if (!shown || saved++ >= kSavedConfirmed) continue;
      one.replay_path = folder.next_replay();
      const auto written =
          write_replay(one.replay_path, make_recording(prepared, one.execution, recorded(one)));
      if (!written) return Error{written.error()};
    }
    const auto written = write_hunt_state((fs::path(out_) / "hunt.json").string(),
                                          state_after(earlier, prepared, result, seconds));
    if (!written) return Error{written.error()};
    return true;
  }

  std::vector<std::string> not_seen_again(const HuntResult& result,
                                          const HuntState& earlier) const {
    std::vector<std::string> paths;
    const fs::path folder = fs::path(hunt_state_path(resume_)).parent_path();
    for (const HuntState::Failure& one : earlier.failures) {
      const bool again = std::any_of(
          result.failures.begin(), result.failures.end(),
          [&](const HuntFailure& failure) { return failure.group.failure.group == one.group; });
      if (!again) paths.push_back((folder / one.replay).string());
    }
    return paths;
  }

  ProgramOptions options_;
  Clock::duration budget_ = std::chrono::seconds(60);
  std::uint32_t jobs_ = 1;
  std::string out_ = "raddle-out";
  std::string resume_;   // a folder or a hunt.json; empty: anew
  bool all_ = false;     // also what did no harm, and what was not confirmed
  bool strict_ = false;  // what did no harm counts for the exit status
  bool joint_ = true;
  FindingOptions findings_;    // suppressions
  bool failing_only_ = false;  // confirmed ones do not count for the exit status
};

}  // namespace

std::unique_ptr<Subcommand> make_hunt_command() { return std::make_unique<HuntCommand>(); }

}  // namespace raddle
