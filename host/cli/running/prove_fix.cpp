#include "host/cli/running/prove_fix.hpp"

#include <algorithm>
#include <optional>

#include "host/campaign/minimize/schedule.hpp"
#include "host/campaign/profile/racing_places.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/explore_findings.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/workers.hpp"
#include "host/cli/terminal/campaign_progress.hpp"
#include "host/explore/process_executor.hpp"
#include "host/process/outcome.hpp"
#include "host/report/words/headline.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kProvedExecutions = 1'000'000;
constexpr std::chrono::seconds kProvedTimeout{30};

ProgramOptions program_options() {
  ProgramOptions options;
  options.decide = "races";
  options.timeout = kProvedTimeout;
  options.max_steps = kExploredSteps;
  options.restore = true;
  return options;
}

// Turns from the first on that the same threads have in both. How many steps a turn takes is
// another matter: programs that differ have other decision points.
std::size_t same_turns(const Schedule& wanted, const Schedule& found) {
  const auto differs = std::mismatch(
      wanted.turns.begin(), wanted.turns.end(), found.turns.begin(), found.turns.end(),
      [](const Turn& a, const Turn& b) { return a.thread == b.thread; });
  return std::size_t(differs.first - wanted.turns.begin());
}

class Proof {
 public:
  Proof(const std::vector<SavedExecution>& saved, const PreparedProgram& prepared,
        OutputFolder& folder, Clock::duration budget, const std::atomic<bool>& stop)
      : saved_(saved), prepared_(prepared), folder_(folder), budget_(budget), stop_(stop) {}

  Result<ProveReport> run() {
    report_.program = prepared_.command.arguments.front();
    Result<UniqueFd> input = repeatable_input();
    if (!input) return Error{input.error()};
    if (const Result<bool> started = start(input->get()); !started) return Error{started.error()};
    for (const SavedExecution& one : saved_) {
      if (const Result<bool> done = follow(one); !done) return Error{done.error()};
      if (report_.failure || stop_) return finished();
    }
    if (const Result<bool> done = explore_all(); !done) return Error{done.error()};
    const bool more = !report_.failure && !report_.explored->result.complete &&
                      report_.explored->divergence.empty() && !stop_ && left() > Clock::duration{};
    if (more) {
      if (const Result<bool> done = fuzz_rest(); !done) return Error{done.error()};
    }
    return finished();
  }

 private:
  Clock::duration left() const { return begin_ + budget_ - Clock::now(); }

  ProveReport finished() {
    report_.interrupted = stop_;
    return std::move(report_);
  }

  Result<bool> start(int input) {
    WorkerOptions working = worker_options(prepared_, program_options(), input);
    working.enabled_capacity = kEnabledCapacity;
    Result<Workers> workers = start_workers(working, 1);
    if (!workers) return Error{workers.error()};
    workers_ = std::move(*workers);
    plan_ = make_plan(program_options());
    plan_.livelock_steps = kExploredLivelock;
    running_ =
        RunOptions{.timeout = std::min<Clock::duration>(kProvedTimeout, budget_), .stop = &stop_};
    Result<AimList> racing = racing_places(*workers_.front(), plan_, running_, left() / 10);
    if (!racing) return Error{racing.error()};
    running_.aims = *racing;
    return true;
  }

  // The saved schedule, by a program that is another one: it has other decision points, and threads
  // wait that did not.
  Result<bool> follow(const SavedExecution& saved) {
    const Schedule schedule = schedule_of(saved.file.log);
    Plan plan = plan_;
    plan.clock = saved.file.plan.clock;
    plan.seed = saved.file.plan.seed;
    plan.replay_turns = true;
    RunOptions running = running_;
    running.keep_log = true;
    Result<Execution> execution = workers_.front()->run(plan, guide_of(schedule), running);
    if (!execution) return Error{execution.error()};
    execution->plan.replay_turns = false;
    GuidedRun run{.replay = saved.path,
                  .recorded = saved.file.message,
                  .confirmed_only = !is_failing(saved.file.outcome),
                  .turns = schedule.turns.size(),
                  .followed = same_turns(schedule, schedule_of(execution->log)),
                  .outcome = execution->kind,
                  .unfinished = {}};
    const bool failing = is_failing(execution->kind);
    if (!failing && execution->kind != OutcomeKind::kNone)
      run.unfinished = headline(describe(*execution, symbols_));
    report_.guided.push_back(std::move(run));
    if (!failing) return true;
    FailureGroups groups;
    groups.add(std::move(*execution), symbols_);
    return found(std::move(groups.take().front()), "the failing schedule", true);
  }

  Result<bool> explore_all() {
    ProcessExecutor executor(*workers_.front(), plan_, running_);
    ExploreOptions options;
    options.search.order = SearchOrder::kDpor;
    options.time = std::max<Clock::duration>(left() / 2, std::chrono::milliseconds(1));
    options.stop = &stop_;
    ExploreReport report;
    report.program = report_.program;
    report.strategy = "dpor";
    report.order = SearchOrder::kDpor;
    report.decide = plan_.decide;
    report.instrumented = workers_.front()->instrumented();
    report.unseen = unseen_code(workers_.front()->maps(), prepared_.target.path);
    if (running_.aims) report.racing_places = running_.aims->size();
    ExploreFindings findings(prepared_, folder_, nullptr);
    ExploreEvents events;
    events.on_execution = [&](std::size_t, const Explored& explored, std::uint64_t number) {
      if (explored.outcome == OutcomeKind::kDiverged) {
        report.divergence = findings.in_words(executor.last());
      } else if (explored.failing) {
        findings.failing(std::move(executor.last()), number);
      } else if (explored.outcome != OutcomeKind::kNone) {
        findings.unfinished(executor.last(), number);
      }
    };
    ProgressLine line;
    events.on_progress = [&](const ExploreProgress& progress) {
      line.update(progress_of(progress, in_seconds(options.time)));
    };
    Executor* const executors[] = {&executor};
    Result<ExploreResult> result = explore(executors, options, events);
    line.clear();
    if (!result) return Error{result.error()};
    report.result = std::move(*result);
    findings.move_into(report, *workers_.front(), last_look(kProvedTimeout, &stop_));
    report.out_of_control = out_of_control_by(workers_);
    if (!findings.error().empty()) return Error{findings.error()};
    std::vector<FailureGroup> groups = std::move(report.findings);
    report.findings.clear();
    report_.explored = std::move(report);
    return groups.empty() || found(std::move(groups.front()), "the exploration", false);
  }

  Result<bool> fuzz_rest() {
    FuzzOptions options;
    options.plan = plan_;
    options.executions = kProvedExecutions;
    options.timeout = kProvedTimeout;
    options.budget = left();
    options.aims = running_.aims;
    options.stop = &stop_;
    ProgressLine line;
    Result<FuzzResult> result =
        fuzz(workers_, options, symbols_, [&](const FuzzCounts& counts, double seconds) {
          line.update(progress_of(counts, kProvedExecutions, seconds, in_seconds(options.budget)));
        });
    line.clear();
    if (!result) return Error{result.error()};
    std::vector<FailureGroup> groups = std::move(result->findings);
    result->findings.clear();
    report_.fuzzed = std::move(*result);
    return groups.empty() || found(std::move(groups.front()), "fuzzing", true);
  }

  Result<bool> found(FailureGroup group, const char* by, bool save) {
    report_.found = kind_of(group.failure);
    report_.found_by = by;
    if (save) {
      group.replay_path = folder_.next_replay();
      const auto written = write_replay(
          group.replay_path, make_recording(prepared_, group.execution, recorded(group.failure)));
      if (!written) return Error{written.error()};
      replay_and_explain(group, *workers_.front(), last_look(kProvedTimeout, &stop_), symbols_);
    }
    report_.failure = std::move(group);
    return true;
  }

  AfterFix kind_of(const Failure& failure) const {
    for (const SavedExecution& one : saved_) {
      const bool same = failure.kind == one.file.outcome &&
                        (failure.group == one.file.group || headline(failure) == one.file.message);
      if (same) return AfterFix::kSameFailure;
    }
    return failure.kind == OutcomeKind::kDeadlock ? AfterFix::kDeadlock : AfterFix::kOtherFailure;
  }

  const std::vector<SavedExecution>& saved_;
  const PreparedProgram& prepared_;
  OutputFolder& folder_;
  const Clock::duration budget_;
  const std::atomic<bool>& stop_;
  const Clock::time_point begin_ = Clock::now();
  Workers workers_;
  Plan plan_{};
  RunOptions running_;
  Symbolizer symbols_;
  ProveReport report_;
};

}  // namespace

Result<ProveReport> prove_fix(const std::vector<SavedExecution>& saved,
                              const PreparedProgram& prepared, OutputFolder& folder,
                              Clock::duration budget, const std::atomic<bool>& stop) {
  return Proof(saved, prepared, folder, budget, stop).run();
}

}  // namespace raddle
