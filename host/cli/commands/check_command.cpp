// raddle check: one execution, with the user's own standard streams, and the detectors on what
// happens in it, while it happens.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <thread>

#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/execute_once.hpp"
#include "host/cli/running/finding_filter.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/left_to_exit.hpp"
#include "host/cli/running/prediction.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/running/workers.hpp"
#include "host/cli/terminal/exit_status.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/explore/process_executor.hpp"
#include "host/process/outcome.hpp"
#include "host/report/results/check_report.hpp"
#include "host/report/results/execution_report.hpp"
#include "host/report/results/words.hpp"
#include "host/symbols/images/unseen_code.hpp"

namespace raddle {
namespace {

class CheckCommand final : public Subcommand {
 public:
  CheckCommand()
      : Subcommand("check", "One execution, and what could go wrong in others", Takes::kProgram) {}

  void add_options(CLI::App& app) override {
    add_analysis_options(app, findings_);
    add_seed(app, options_, "Seed of the strategy");
    add_strategy(app, options_, false);
    add_limits(app, options_);
    add_reports(app);
    add_decide(app, options_);
    app.add_flag("--no-predict{false}", predict_,
                 "Say nothing of other schedules of what this execution did");
    app.add_option("--out", out_, "Folder for the replay files of witnesses")
        ->type_name("DIR")
        ->default_str(out_);
  }

  int run() override {
    if (const Result<bool> writable = check_reports(); !writable) return fail(writable.error());
    Result<PreparedProgram> prepared = prepare_program(program());
    if (!prepared) return fail(prepared.error());
    Result<FindingFilter> filter = FindingFilter::open(findings_);
    if (!filter) return fail(filter.error());
    findings_.analysis.threads = detector_threads();
    Result<std::unique_ptr<Pipeline>> made = Pipeline::make(findings_.analysis);
    if (!made) return fail(made.error());
    Analysis analysis = shown_analysis(findings_, **made);
    analysis.covered =
        fmt::format("this one execution: strategy {}, seed {}", options_.strategy, options_.seed);
    analysis.next = next_commands();
    const Result<Outcome> outcome = execute(*prepared, **made, analysis);
    if (!outcome) return fail(outcome.error());
    analysis.failed = verdict_of(outcome->execution.kind) == DocumentVerdict::kFound;
    (*made)->end({});
    const Pipeline& pipeline = leave_to_exit(std::move(*made));

    if (const std::string& problem = outcome->execution.trace_problem; !problem.empty()) {
      error_line(fmt::format(
          "some of what the program did could not be read ({}): did it write where it should not?",
          problem));
    }
    complain(problems_text(analysis));
    if (findings_.strict_events && !pipeline.problems().empty()) return kBadInput;
    const FilteredFindings filtered = filter->apply(pipeline);
    const Result<std::optional<PredictReport>> predicted =
        predict_others(*prepared, outcome->execution, filtered, *filter, analysis.instrumented);
    if (!predicted) return fail(predicted.error());
    const CheckReport report{program().front(), outcome->execution,
                             outcome->failure,  analysis,
                             filtered,          *predicted ? &**predicted : nullptr};
    const int status = show(document_of(report));
    if (*predicted) {
      for (const PredictedFinding& one : (*predicted)->result.findings)
        filter->add(one.confirmation.finding);
    }
    const auto saved = filter->save(filtered);
    return saved ? status : fail(saved.error());
  }

 private:
  std::vector<NextCommand> next_commands() const {
    std::string words;
    for (const std::string& word : program()) words += " " + shell_quoted(word);
    return {{fmt::format("{} check --seed {} --{}", tool_name(), options_.seed + 1, words),
             "another execution"},
            {fmt::format("{} fuzz --{}", tool_name(), words), "looks for executions that fail"}};
  }

  Result<Outcome> execute(const PreparedProgram& prepared, Pipeline& pipeline,
                          Analysis& analysis) const {
    OnceOptions once{.captured = captures_output(), .trace = TraceLevel::kMemory};
    once.listener = [&](Worker& worker) {
      analysis.instrumented = worker.instrumented();
      complain(instrumentation_note(program()[0], findings_.analysis, analysis.instrumented));
      TraceHeader header;
      header.program = prepared.command.program;
      header.instrumented = analysis.instrumented;
      header.unseen = synchronise_unseen(unseen_code(worker.maps()));
      pipeline.begin(header);
      return &pipeline;
    };
    return execute_once(options_, prepared, once);
  }

  // What other schedules of such an execution show: of one more, in which every access is a step of
  // its own. Nothing if that cannot be asked.
  Result<std::optional<PredictReport>> predict_others(const PreparedProgram& prepared,
                                                      const Execution& execution,
                                                      const FilteredFindings& filtered,
                                                      FindingFilter& filter,
                                                      bool instrumented) const {
    std::optional<PredictReport> none;
    const bool passed = execution.kind == OutcomeKind::kNone;
    // A pipe cannot be read a second time.
    struct stat input{};
    const bool piped = fstat(STDIN_FILENO, &input) == 0 && !S_ISCHR(input.st_mode);
    if (!predict_ || !passed || !instrumented || execution.threads < 2 || piped) return none;
    WorkerOptions working = worker_options(prepared, options_, -1);
    working.enabled_capacity = kEnabledCapacity;
    Result<std::unique_ptr<Worker>> worker = Worker::start(working);
    if (!worker) return Error{worker.error()};
    PredictOptions options;
    options.rules.cycles_end = true;
    options.rules.effort = kQuickEffort;
    options.most_queries = kMostQueries;
    options.most_effort = kMostEffort;
    options.races = is_chosen("race") || is_chosen("lockset");
    options.deadlocks = is_chosen("deadlock");
    options.atomic_sets = is_chosen("atomset");
    options.sections = is_chosen("atomizer") || is_chosen("serial");
    options.threads = std::max(1U, std::thread::hardware_concurrency());
    options.running.timeout =
        options_.timeout != Clock::duration{} ? options_.timeout : kLongestExecution;
    options.running.stop = &stop_on_signals();
    options.time = kEmergency;
    options.plain = make_plan(options_);
    std::set<std::uint64_t> shown;
    for (const Finding* finding : filtered.findings) shown.insert(finding->place);
    // Of what the execution itself shows, a witness says more only if it shows harm.
    options.wants = [&](const Finding& finding, const ExecutionState& state) {
      return (!shown.contains(finding.place) || rests_on_inference(finding)) &&
             !filter.knows(finding) && filter.wants(finding, state);
    };
    RunOptions running = options.running;
    running.keep_log = true;
    Result<Execution> recorded = (*worker)->run(by_values(make_plan(options_)), {}, running);
    if (!recorded) return Error{recorded.error()};
    PredictReport report;
    report.program = program().front();
    report.strict = findings_.strict;
    Result<OutputFolder> folder = OutputFolder::open(out_);
    if (!folder) return Error{folder.error()};
    if (is_failing(recorded->kind)) report.result.failing.push_back(std::move(*recorded));
    options.keeps = [&](const PredictedFinding& one) {
      const Finding& finding = one.confirmation.finding;
      return !filter.knows(finding) &&
             (one.level == FindingLevel::kHarmful || !shown.contains(finding.place));
    };
    const Result<bool> done =
        recorded->kind == OutcomeKind::kNone
            ? predict_and_save(**worker, *recorded, prepared, options, *folder, report)
            : save_witnesses(**worker, prepared, options.running, *folder, report);
    folder->remove_if_unused();
    if (!done) return Error{done.error()};
    if (recorded->kind != OutcomeKind::kNone && report.failures.empty())
      report.result.divergence = "an execution that shows every access does not come to its end";
    return std::optional(std::move(report));
  }

  // The prediction looks for what the user's detectors look for.
  bool is_chosen(const char* detector) const {
    const std::vector<std::string>& all = findings_.analysis.detectors;
    return all.empty() || std::find(all.begin(), all.end(), detector) != all.end();
  }

  // The most that a prediction takes: some twenty seconds, mostly far less. Clocks end only what
  // nobody would wait for.
  static constexpr std::uint64_t kMostQueries = 500;
  static constexpr std::uint64_t kMostEffort = 100'000'000;
  static constexpr Clock::duration kLongestExecution = std::chrono::minutes(1);
  static constexpr Clock::duration kEmergency = std::chrono::minutes(3);

  ProgramOptions options_;
  FindingOptions findings_;
  bool predict_ = true;
  std::string out_ = "raddle-out";
};

}  // namespace

std::unique_ptr<Subcommand> make_check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace raddle
