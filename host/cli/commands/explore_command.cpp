// raddle explore: schedules one after another until all are covered.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>

#include "host/campaign/profile/racing_places.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/event_names.hpp"
#include "host/cli/running/explore_changes.hpp"
#include "host/cli/running/explore_findings.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/running/workers.hpp"
#include "host/cli/terminal/campaign_progress.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/explore/causal/explore_causally.hpp"
#include "host/explore/changes/capp.hpp"
#include "host/explore/delays/explore_delays.hpp"
#include "host/explore/explore.hpp"
#include "host/explore/journal.hpp"
#include "host/explore/process_executor.hpp"
#include "host/explore/search_order.hpp"
#include "host/report/results/explore_report.hpp"
#include "host/report/results/words.hpp"
#include "host/symbols/images/library_calls.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kMaxExecutions = 1'000'000'000'000;

// Of the time: to learn which places race.
constexpr int kPlacesShare = 10;

// Not an order of its own: it puts that of another strategy (--base) behind what has to do with a
// change.
constexpr char kChangesFirst[] = "capp";

// Not an order either: goes by what threads see.
constexpr char kCausal[] = "causal";

std::set<std::string> order_names() {
  std::set<std::string> names;
  for (const SearchOrderEntry& entry : search_orders()) names.insert(entry.name);
  return names;
}

std::set<std::string> strategy_names() {
  std::set<std::string> names = order_names();
  names.insert(kChangesFirst);
  names.insert(kCausal);
  return names;
}

std::string strategy_help() {
  std::string text = "Which schedules, and in what order:";
  const auto add = [&](std::string_view name, std::string_view summary) {
    text += fmt::format("\n  {:<6} ", name);
    for (const char c : summary) text += c == '\n' ? std::string("\n         ") : std::string(1, c);
  };
  for (const SearchOrderEntry& entry : search_orders()) add(entry.name, entry.summary);
  add(kCausal, "only those in which a thread sees something new, or nothing\nmoves any more");
  add(kChangesFirst, "as --base, but first what preempts changed code");
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_quoted(word);
  return text;
}

struct Campaign {
  RunOptions running;  // of every execution
  Workers workers;
  std::vector<std::unique_ptr<ProcessExecutor>> executors;
  std::vector<std::unique_ptr<CappExecutor>> marking;  // capp only, around those

  std::vector<Executor*> all() const {
    std::vector<Executor*> list;
    list.reserve(executors.size());
    for (const auto& executor : executors) list.push_back(executor.get());
    for (std::size_t i = 0; i < marking.size(); ++i) list[i] = marking[i].get();
    return list;
  }

  bool matched_nothing() const {
    return !marking.empty() && std::none_of(marking.begin(), marking.end(),
                                            [](const auto& one) { return one->has_matched(); });
  }
};

// Saves the execution that did not follow its schedule.
std::string kept_text(Campaign& campaign, ExploreFindings& findings) {
  Execution& last = campaign.executors.front()->last();
  SharedRegion& shared = campaign.workers.front()->shared();
  if (last.log.empty())
    last.log.assign(shared.log(),
                    shared.log() + std::min<std::uint64_t>(last.steps, shared.log_capacity));
  const std::string path =
      findings.keep(last, "does not follow a schedule that the causal model calls feasible");
  return path.empty()
             ? "The execution could not be saved."
             : fmt::format("The execution is saved: {} replay {}", tool_name(), shell_quoted(path));
}

// Of an exploration that compares by itself: the runtime says nothing of it.
std::string divergence_text(const ExploreDivergence& divergence) {
  const auto step_text = [](const StepRecord& record) {
    if (record.thread == kNoThread) return std::string("the execution had ended");
    return fmt::format("T{} came to {}", raw(record.thread), op_text(record.op));
  };
  return fmt::format("step {}: {} before, and now {}", divergence.step + 1,
                     step_text(divergence.recorded), step_text(divergence.actual));
}

class ExploreCommand final : public Subcommand {
 public:
  ExploreCommand()
      : Subcommand("explore", "Schedules one after another until all are covered",
                   Takes::kProgram) {
    options_.strategy = "dpor";
    options_.timeout = std::chrono::seconds(30);
    options_.max_steps = kExploredSteps;
    options_.decide = "races";
  }

  void add_options(CLI::App& app) override;
  std::string conflict() const override;
  int run() override;

 private:
  bool puts_changes_first() const { return options_.strategy == kChangesFirst; }
  bool is_causal() const { return options_.strategy == kCausal; }
  // The order in which schedules are explored, but for what a change puts first.
  SearchOrder order() const {
    if (is_causal()) return SearchOrder::kDfs;
    return find_search_order(puts_changes_first() ? changes_.base : options_.strategy)->order;
  }
  JournalIdentity identity(const PreparedProgram& prepared) const;
  Result<std::optional<Journal>> open_journal(const PreparedProgram& prepared) const;
  Result<Campaign> start(const PreparedProgram& prepared, int input, const RunOptions& running,
                         Journal* journal) const;
  Result<AimList> places(Worker& worker, const Plan& plan, const RunOptions& running,
                         Journal* journal) const;
  Result<bool> mark_changes(Campaign& campaign, ExploreReport& report) const;
  ExploreReport empty_report() const;
  Result<ExploreResult> explore_as_asked(const std::vector<Executor*>& executors,
                                         const ExploreOptions& options, const ExploreEvents& events,
                                         std::optional<DelayReport>& delays) const;
  Result<ExploreReport> explore_with(const PreparedProgram& prepared, OutputFolder& folder) const;

  ProgramOptions options_;
  const CLI::Option* decide_ = nullptr;
  const CLI::Option* strategy_ = nullptr;
  std::optional<std::uint32_t> bound_;
  std::uint32_t jobs_ = 1;
  std::uint64_t limit_ = 0;
  Clock::duration time_ = std::chrono::minutes(10);
  std::string checkpoint_;
  bool resume_ = false;
  bool keep_going_ = false;
  bool delay_events_ = false;
  std::string out_ = "raddle-out";
  ChangeOptions changes_;
};

void ExploreCommand::add_options(CLI::App& app) {
  strategy_ = choice(app, "--strategy", options_.strategy, strategy_names(), strategy_help());
  number(app, "--bound", ~std::uint64_t{0}, 0, 1000, "icb: at most so many preemptions",
         [this](std::uint64_t bound) { bound_ = static_cast<std::uint32_t>(bound); })
      ->default_str("");
  choice(app, "--base", changes_.base, order_names(),
         "capp: the strategy that it puts in another order");
  const std::vector<std::string> names = heuristic_names();
  choice(app, "--heuristic", changes_.heuristic, {names.begin(), names.end()},
         "capp: what matches (Class, Method, Line: at the operation, or with O anywhere on "
         "the stack; Field), in All or Some of the threads");
  app.add_option("--changes", changes_.changes, "capp: what changed, as revisions of git")
      ->type_name("OLD..NEW");
  app.add_option("--patch", changes_.patch, "capp: what changed, as a unified diff")
      ->type_name("FILE")
      ->excludes("--changes");
  app.add_option("--sources", changes_.sources, "capp: where the changed sources are")
      ->type_name("DIR")
      ->default_str(changes_.sources);
  number(app, "-j,--jobs", jobs_, 1, 256, "How many executions at the same time");
  number(app, "--limit", limit_, 1, kMaxExecutions, "How many executions at most")->default_str("");
  duration(app, "--time,--budget", time_,
           "How long at most: 500ms, 10s, 2m; a number alone is seconds")
      ->default_str("10m");
  app.add_option("--checkpoint", checkpoint_, "Write down what is done, so that --resume can go on")
      ->type_name("FILE");
  app.add_flag("--resume", resume_, "Go on where --checkpoint FILE ends");
  app.add_flag("--keep-going", keep_going_, "Do not stop at the first failing execution");
  app.add_flag("--delay-events", delay_events_,
               "Events of enforced properties that may go may also be held back: says whether that "
               "can keep every execution from failing, and what to hold back");
  app.add_option("--out", out_, "Folder for replay files")->type_name("DIR")->default_str(out_);
  add_carrier(app, options_);
  decide_ = choice(app, "--decide", options_.decide, {"sync", "races", "all"},
                   "Instrumented: which plain accesses are decision points; races: a few recorded "
                   "executions show first which ones race; causal takes all");
  add_memory_faults(app, options_);
  add_clock(app, options_);
  number(app, "--max-steps", options_.max_steps, 1, 1'000'000,
         "Limit of decision points of an execution");
  duration(app, "--timeout", options_.timeout, "Time limit of an execution")->default_str("30s");
  add_exit_codes(app, options_.ok_exit);
  add_fork(app, options_.restore);
  add_reports(app);
}

std::string ExploreCommand::conflict() const {
  if (bound_ && order() != SearchOrder::kIcb)
    return "--bound is for --strategy icb: the others do not count preemptions";
  const bool changed = !changes_.changes.empty() || !changes_.patch.empty();
  if (puts_changes_first() && !changed)
    return "--strategy capp needs to know what changed: --changes OLD..NEW or --patch FILE";
  if (!puts_changes_first() && changed) return "--changes and --patch are for --strategy capp";
  const std::size_t dots = changes_.changes.find("..");
  if (!changes_.changes.empty() && (dots == 0 || dots == std::string::npos))
    return "--changes takes two revisions: OLD..NEW";
  if (is_causal()) {
    if (decide_->count() > 0 && options_.decide != "all")
      return "--strategy causal goes by what threads see: every access is a decision point, as "
             "with "
             "--decide all";
    if (!checkpoint_.empty()) return "--strategy causal has no checkpoints";
    if (jobs_ > 1) return "--strategy causal makes one execution at a time: leave -j away";
    if (options_.carrier != "fiber")
      return "--strategy causal needs memory at fixed places: leave --carrier away";
    if (options_.clock != "steady")
      return "--strategy causal does not know time-outs that come at any moment: leave --clock "
             "away";
  }
  if (delay_events_) {
    if (strategy_->count() > 0)
      return "--delay-events goes through states in an order of its own: leave --strategy away";
    if (!checkpoint_.empty()) return "--delay-events has no checkpoints";
    if (jobs_ > 1) return "--delay-events makes one execution at a time: leave -j away";
    if (keep_going_)
      return "--delay-events goes on after failing executions anyway: leave --keep-going away";
  }
  if (resume_ && checkpoint_.empty())
    return "--resume needs --checkpoint FILE, the file to go on from";
  return {};
}

// What must be the same when an exploration goes on.
JournalIdentity ExploreCommand::identity(const PreparedProgram& prepared) const {
  return {{"the program", prepared.target.path},
          {"its build", prepared.target.build_id.empty()
                            ? fmt::format("{:016x}", prepared.target.file_hash)
                            : prepared.target.build_id},
          {"its arguments", joined(prepared.command.arguments)},
          {"--strategy", options_.strategy},
          {"--base", changes_.base},
          {"--heuristic", changes_.heuristic},
          {"--changes", changes_.changes + changes_.patch},
          {"--bound", bound_ ? fmt::format("{}", *bound_) : "not given"},
          {"--decide", options_.decide},
          {"--no-memory-faults", options_.no_memory_faults ? "on" : "off"},
          {"--clock", options_.clock},
          {"--spurious-wakeups", options_.spurious_wakeups ? "on" : "off"},
          {"--short-transfers", options_.short_transfers ? "on" : "off"},
          {"--failing-allocations", options_.failing_allocations ? "on" : "off"},
          {"--max-steps", fmt::format("{}", options_.max_steps)},
          {"the version of raddle", RADDLE_VERSION}};
}

Result<std::optional<Journal>> ExploreCommand::open_journal(const PreparedProgram& prepared) const {
  if (checkpoint_.empty()) return std::optional<Journal>();
  Result<Journal> journal = resume_ ? Journal::open(checkpoint_, identity(prepared))
                                    : Journal::create(checkpoint_, identity(prepared));
  if (!journal) return Error{journal.error()};
  return std::optional<Journal>(std::move(*journal));
}

// Which accesses are decision points: those of the journal, if it is gone on with.
Result<AimList> ExploreCommand::places(Worker& worker, const Plan& plan, const RunOptions& running,
                                       Journal* journal) const {
  if (plan.decide != DecideKind::kRaces) return AimList{};
  if (journal != nullptr && journal->places()) {
    if (journal->places()->empty()) return AimList{};
    return std::make_shared<const std::vector<PlanAim>>(*journal->places());
  }
  Result<AimList> found = racing_places(worker, plan, running, time_ / kPlacesShare);
  const bool is_all = found && !running.stop->load();  // not cut short
  if (is_all && journal != nullptr) journal->decide_at(*found ? **found : std::vector<PlanAim>());
  return found;
}

Result<Campaign> ExploreCommand::start(const PreparedProgram& prepared, int input,
                                       const RunOptions& running, Journal* journal) const {
  WorkerOptions working = worker_options(prepared, options_, input);
  working.enabled_capacity = kEnabledCapacity;
  Plan plan = make_plan(options_);
  plan.livelock_steps = kExploredLivelock;
  plan.detail = puts_changes_first() || delay_events_;
  Campaign campaign{.running = running};
  Result<Workers> workers = start_workers(working, jobs_);
  if (!workers) return Error{workers.error()};
  campaign.workers = std::move(*workers);
  Result<AimList> racing = places(*campaign.workers.front(), plan, running, journal);
  if (!racing) return Error{racing.error()};
  campaign.running.aims = *racing;
  for (const auto& worker : campaign.workers)
    campaign.executors.push_back(
        std::make_unique<ProcessExecutor>(*worker, plan, campaign.running));
  return campaign;
}

// Marks what has to do with the change. What of it cannot be used is remarked on, and leaves the
// plain order.
Result<bool> ExploreCommand::mark_changes(Campaign& campaign, ExploreReport& report) const {
  Result<ChangeImpact> impact =
      impact_of(changes_, *campaign.workers.front(), make_plan(options_), campaign.running);
  if (!impact) return Error{impact.error()};
  report.remarks = impact->remarks;
  const MatchMode match = heuristic_named(changes_.heuristic)->match;
  for (std::size_t i = 0; i < campaign.executors.size(); ++i) {
    Worker& worker = *campaign.workers[i];
    auto resolver = std::make_shared<SiteResolver>([&worker] { return worker.maps(); });
    campaign.marking.push_back(std::make_unique<CappExecutor>(
        *campaign.executors[i], impact->points, match,
        [resolver](std::uint64_t address) { return resolver->any(address); }));
  }
  return true;
}

ExploreReport ExploreCommand::empty_report() const {
  ExploreReport report;
  report.program = program().front();
  report.strategy = delay_events_ ? "delay-events" : options_.strategy;
  report.order = order();
  if (puts_changes_first()) report.changes = {changes_.base, changes_.heuristic};
  report.bound = bound_;
  report.decide = make_plan(options_).decide;
  return report;
}

// With --delay-events `delays` is set, without names.
Result<ExploreResult> ExploreCommand::explore_as_asked(const std::vector<Executor*>& executors,
                                                       const ExploreOptions& options,
                                                       const ExploreEvents& events,
                                                       std::optional<DelayReport>& delays) const {
  if (delay_events_) {
    Result<DelayedExploration> delayed = explore_delays(*executors.front(), options, events);
    if (!delayed) return Error{delayed.error()};
    delays = DelayReport{std::move(delayed->delays), {}, false};
    return std::move(delayed->result);
  }
  if (!is_causal()) return explore(executors, options, events);
  causal::Rules rules;
  rules.cycles_end = true;
  return explore_causally(*executors.front(), options, rules, events);
}

Result<ExploreReport> ExploreCommand::explore_with(const PreparedProgram& prepared,
                                                   OutputFolder& folder) const {
  const std::atomic<bool>& stop = stop_on_signals();
  Result<UniqueFd> input = repeatable_input();
  if (!input) return Error{input.error()};
  Result<std::optional<Journal>> journal = open_journal(prepared);
  if (!journal) return Error{journal.error()};
  const RunOptions running{.timeout = std::min(options_.timeout, time_), .stop = &stop};
  Result<Campaign> campaign =
      start(prepared, input->get(), running, *journal ? &**journal : nullptr);
  if (!campaign) return Error{campaign.error()};

  ExploreOptions options;
  options.search.order = order();
  if (bound_) options.search.bound = *bound_;
  options.keep_going = keep_going_;
  options.limit = limit_;
  options.time = time_;
  options.stop = &stop;
  options.journal = *journal ? &**journal : nullptr;

  ExploreReport report = empty_report();
  report.instrumented = campaign->workers.front()->instrumented();
  report.unseen = unseen_code(campaign->workers.front()->maps(), prepared.target.path);
  if (campaign->running.aims) report.racing_places = campaign->running.aims->size();
  ExploreFindings findings(prepared, folder, options.journal);
  if (puts_changes_first()) {
    const Result<bool> marked = mark_changes(*campaign, report);
    if (!marked) return Error{marked.error()};
    options.search.priority = heuristic_named(changes_.heuristic)->priority;
  }
  const std::vector<Executor*> executors = campaign->all();
  EventNames names;
  ExploreEvents events;
  events.on_execution = [&](std::size_t executor, const Explored& explored, std::uint64_t number) {
    Execution& execution = campaign->executors[executor]->last();
    names.see(explored);
    if (explored.outcome == OutcomeKind::kDiverged) {
      report.divergence = findings.in_words(execution);
    } else if (explored.failing) {
      findings.failing(std::move(execution), number);
    } else if (explored.outcome != OutcomeKind::kNone) {
      findings.unfinished(execution, number);
    } else if (execution.report != nullptr && !explored.redundant) {
      execution.log.assign(explored.log.begin(), explored.log.end());
      findings.passed(execution);
    }
  };
  if (is_causal()) {
    if (report.instrumented)
      report.library_calls = library_calls(campaign->workers.front()->maps(), prepared.target.path);
    campaign->executors.front()->show_values();
  }
  ProgressLine line;
  events.on_progress = [&](const ExploreProgress& progress) {
    line.update(progress_of(progress, in_seconds(time_)));
  };
  Result<ExploreResult> result = explore_as_asked(executors, options, events, report.delays);
  line.clear();
  if (!result) return Error{result.error()};
  report.result = std::move(*result);
  if (delay_events_ && report.result.divergence)
    report.divergence = divergence_text(*report.result.divergence);
  report.properties = names.properties(campaign->workers.front()->maps());
  if (report.delays)
    report.delays = names.named(report.delays->delays, campaign->workers.front()->maps());
  if (report.result.causal && report.result.causal->problem.kind == CausalProblem::kNotFollowed)
    report.remarks.push_back(kept_text(*campaign, findings));
  findings.move_into(report, *campaign->workers.front(), last_look(options_.timeout, &stop));
  report.out_of_control = out_of_control_by(campaign->workers);
  if (report.delays) report.delays->timed = report.out_of_control.timed_waits > 0;
  if (*journal && !(*journal)->error().empty()) return Error{(*journal)->error()};
  if (!findings.error().empty()) report.remarks.push_back(findings.error());
  if (campaign->matched_nothing())
    report.remarks.push_back(
        fmt::format("No decision point matched the change by {}: the order was the plain one.",
                    changes_.heuristic));
  return report;
}

int ExploreCommand::run() {
  if (is_causal()) options_.decide = "all";
  if (const Result<bool> writable = check_reports(); !writable) return fail(writable.error());
  Result<PreparedProgram> prepared = prepare_program(program());
  if (!prepared) return fail(prepared.error());
  if (delay_events_ && !has_property(prepared->target.path))
    return fail(fmt::format(
        "{} contains no property whose events could be held back: build it with raddle-c++ --mop "
        "FILE, or link raddle::enforce",
        program().front()));
  Result<OutputFolder> folder = OutputFolder::open(out_);
  if (!folder) return fail(folder.error());
  const Result<ExploreReport> report = explore_with(*prepared, *folder);
  folder->remove_if_unused();
  if (!report) return fail(report.error());
  return show(document_of(*report));
}

}  // namespace

std::unique_ptr<Subcommand> make_explore_command() { return std::make_unique<ExploreCommand>(); }

}  // namespace raddle
