// raddle explore: schedules one after another until all are covered.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "host/campaign/profile/racing_sites.hpp"
#include "host/cli/commands/commands.hpp"
#include "host/cli/commands/explore_report.hpp"
#include "host/cli/running/explore_changes.hpp"
#include "host/cli/running/input.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/explore/changes/capp.hpp"
#include "host/explore/explore.hpp"
#include "host/explore/journal.hpp"
#include "host/explore/process_executor.hpp"

namespace raddle {
namespace {

// So many idle operations of all threads in a row are a livelock: the explorer gives each its fair
// turn, so nothing else is to be expected.
constexpr std::uint64_t kLivelockSteps = 1000;

void waiting_for_input() {
  error_line("reading standard input to its end; give </dev/null if the program needs none");
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_quoted(word);
  return text;
}

JournalIdentity identity_of(const ExploreCommand& command, const PreparedProgram& prepared) {
  const ProgramOptions& program = command.program;
  return {{"the program", prepared.target.path},
          {"its build", prepared.target.build_id.empty()
                            ? fmt::format("{:016x}", prepared.target.file_hash)
                            : prepared.target.build_id},
          {"its arguments", joined(prepared.command.arguments)},
          {"--strategy", program.strategy},
          {"--base", command.base},
          {"--heuristic", command.heuristic},
          {"--changes", command.changes + command.patch},
          {"--bound", command.bound ? fmt::format("{}", *command.bound) : "not given"},
          {"--decide", program.decide},
          {"--decide", program.decide},
          {"--clock", program.clock},
          {"--spurious-wakeups", program.spurious_wakeups ? "on" : "off"},
          {"--max-steps", fmt::format("{}", program.max_steps)},
          {"the version of raddle", RADDLE_VERSION}};
}

// Saves and counts what fails, while the exploration goes on.
class Findings {
 public:
  Findings(const PreparedProgram& prepared, OutputFolder& folder, Journal* journal)
      : session_(prepared), folder_(folder), journal_(journal) {
    if (journal == nullptr) return;
    for (const std::string& note : journal->notes()) take_note(note);
  }

  void failing(Execution execution, std::uint64_t number) {
    execution.plan.seed = number;
    const std::size_t before = groups_.list().size();
    Failure failure = describe(execution, symbols_);
    nlohmann::json note = {{"group", failure.group}};
    if (EarlierFinding* known = earlier(failure.group)) {
      ++known->count;
    } else {
      const ReplayFile file = make_recording(session_, execution, &failure);
      groups_.add(std::move(execution), symbols_);
      if (groups_.list().size() > before) {
        paths_.push_back(folder_.next_replay());
        const auto written = write_replay(paths_.back(), file);
        if (!written && error_.empty()) error_ = written.error();
        note["kind"] = outcome_text(file.outcome);
        note["message"] = failure.headline;
        note["replay"] = paths_.back();
      }
    }
    if (journal_ != nullptr)
      journal_->note(note.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  void unfinished(const Execution& execution, std::uint64_t number) {
    add_note(unfinished_, describe(execution, symbols_).headline, number);
  }

  std::string in_words(const Execution& execution) {
    return describe(execution, symbols_).headline;
  }

  void move_into(ExploreReport& report, Worker& worker, const RunOptions& running) {
    report.findings = groups_.take();
    for (std::size_t i = 0; i < report.findings.size(); ++i) {
      report.findings[i].replay_path = paths_[i];
      replay_and_explain(report.findings[i], worker, running, symbols_);
    }
    report.earlier = std::move(earlier_);
    report.unfinished = std::move(unfinished_);
  }

  const std::string& error() const { return error_; }

 private:
  EarlierFinding* earlier(const std::string& group) {
    const auto it = std::find_if(earlier_.begin(), earlier_.end(),
                                 [&](const EarlierFinding& f) { return f.group == group; });
    return it == earlier_.end() ? nullptr : &*it;
  }

  void take_note(const std::string& text) {
    const nlohmann::json note = nlohmann::json::parse(text, nullptr, false);
    if (!note.is_object()) return;
    const std::string group = note.value("group", "");
    if (EarlierFinding* known = earlier(group)) {
      ++known->count;
    } else {
      earlier_.push_back(
          {group, note.value("kind", ""), note.value("message", ""), note.value("replay", ""), 1});
    }
  }

  const PreparedProgram& session_;
  OutputFolder& folder_;
  Journal* journal_;
  Symbolizer symbols_;
  FailureGroups groups_;
  std::vector<std::string> paths_;
  std::vector<EarlierFinding> earlier_;
  std::vector<Note> unfinished_;
  std::string error_;
};

Result<std::optional<Journal>> open_journal(const ExploreCommand& command,
                                            const PreparedProgram& prepared) {
  if (command.checkpoint.empty()) return std::optional<Journal>();
  const JournalIdentity identity = identity_of(command, prepared);
  Result<Journal> journal = command.resume ? Journal::open(command.checkpoint, identity)
                                           : Journal::create(command.checkpoint, identity);
  if (!journal) return Error{journal.error()};
  return std::optional<Journal>(std::move(*journal));
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
};

Result<Campaign> start(const ExploreCommand& command, const PreparedProgram& prepared, int input,
                       const RunOptions& running) {
  WorkerOptions working = worker_options(prepared, command.program, input);
  working.enabled_capacity = kEnabledCapacity;
  Plan plan = make_plan(command.program);
  plan.livelock_steps = kLivelockSteps;
  plan.detail = command.program.strategy == "capp" && needs_stacks(command);
  Campaign campaign{.running = running};
  Result<Workers> workers = start_workers(working, command.jobs);
  if (!workers) return Error{workers.error()};
  campaign.workers = std::move(*workers);
  if (plan.decide == DecideKind::kRaces) {
    Result<AimList> racing =
        find_racing_sites(*campaign.workers.front(),
                          {.plan = plan, .timeout = running.timeout, .stop = running.stop});
    if (!racing) return Error{racing.error()};
    campaign.running.aims = *racing;
  }
  for (const auto& worker : campaign.workers)
    campaign.executors.push_back(
        std::make_unique<ProcessExecutor>(*worker, plan, campaign.running));
  return campaign;
}

// Marks what has to do with the change. What of it cannot be used is remarked on, and leaves the
// plain order.
Result<bool> mark_changes(const ExploreCommand& command, const RunOptions& running,
                          Campaign& campaign, ExploreReport& report) {
  Result<ChangeImpact> impact =
      impact_of(command, *campaign.workers.front(), make_plan(command.program), running);
  if (!impact) return Error{impact.error()};
  report.remarks = impact->remarks;
  const MatchMode match = heuristic_named(command.heuristic)->match;
  for (std::size_t i = 0; i < campaign.executors.size(); ++i) {
    Worker& worker = *campaign.workers[i];
    auto resolver = std::make_shared<SiteResolver>([&worker] { return worker.maps(); });
    campaign.marking.push_back(std::make_unique<CappExecutor>(
        *campaign.executors[i], impact->points, match,
        [resolver](std::uint64_t address) { return resolver->any(address); }));
  }
  return true;
}

Result<ExploreReport> run(const ExploreCommand& command, const PreparedProgram& prepared,
                          OutputFolder& folder) {
  const std::atomic<bool>& stop = stop_on_signals();
  Result<UniqueFd> input = repeatable_input(waiting_for_input);
  if (!input) return Error{input.error()};
  Result<std::optional<Journal>> journal = open_journal(command, prepared);
  if (!journal) return Error{journal.error()};
  const RunOptions running{.timeout = command.program.timeout, .stop = &stop};
  Result<Campaign> campaign = start(command, prepared, input->get(), running);
  if (!campaign) return Error{campaign.error()};

  ExploreOptions options;
  options.search.order = find_search_order(command.order())->order;
  if (command.bound) options.search.bound = *command.bound;
  options.keep_going = command.keep_going;
  options.limit = command.limit;
  options.time = command.time;
  options.stop = &stop;
  options.journal = *journal ? &**journal : nullptr;

  ExploreReport report;
  report.instrumented = campaign->workers.front()->instrumented();
  if (campaign->running.aims) report.racing_places = campaign->running.aims->size();
  Findings findings(prepared, folder, options.journal);
  if (command.program.strategy == "capp") {
    const Result<bool> marked = mark_changes(command, campaign->running, *campaign, report);
    if (!marked) return Error{marked.error()};
    options.search.priority = heuristic_named(command.heuristic)->priority;
  }
  const std::vector<Executor*> executors = campaign->all();
  ExploreEvents events;
  events.on_execution = [&](std::size_t executor, const Explored& explored, std::uint64_t number) {
    Execution& execution = campaign->executors[executor]->last();
    if (explored.outcome == OutcomeKind::kDiverged) {
      report.divergence = findings.in_words(execution);
    } else if (explored.failing) {
      findings.failing(std::move(execution), number);
    } else if (explored.outcome != OutcomeKind::kNone) {
      findings.unfinished(execution, number);
    }
  };
  ExploreProgressLine line;
  events.on_progress = [&](const ExploreProgress& progress) { line.update(progress); };
  Result<ExploreResult> result = explore(executors, options, events);
  if (!result) return Error{result.error()};
  report.result = std::move(*result);
  findings.move_into(report, *campaign->workers.front(),
                     {.timeout = command.program.timeout, .aims = campaign->running.aims});
  if (*journal && !(*journal)->error().empty()) return Error{(*journal)->error()};
  if (!findings.error().empty()) report.remarks.push_back(findings.error());
  return report;
}

}  // namespace

int explore_command(const ExploreCommand& command) {
  Result<PreparedProgram> prepared = prepare_program(command.program.program);
  if (!prepared) {
    error_line(prepared.error());
    return kBadInput;
  }
  Result<OutputFolder> folder = OutputFolder::open(command.out);
  if (!folder) {
    error_line(folder.error());
    return kBadInput;
  }
  const Result<ExploreReport> report = run(command, *prepared, *folder);
  folder->remove_if_unused();
  if (!report) {
    error_line(report.error());
    return kBadInput;
  }
  if (command.program.json) {
    print(explore_json(command, *report)
              .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
          "\n");
  } else {
    print(explore_text(command, *report, text_options(stdout)));
  }
  return explore_exit_status(*report);
}

}  // namespace raddle
