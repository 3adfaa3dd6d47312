// raddle check: one execution, with the user's own standard streams, and the detectors on what
// happens in it, while it happens.
#include <fmt/format.h>

#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/execute_once.hpp"
#include "host/cli/running/finding_filter.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/exit_status.hpp"
#include "host/cli/terminal/terminal.hpp"
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
  }

  int run() override {
    if (const Result<bool> writable = check_reports(); !writable) return fail(writable.error());
    Result<PreparedProgram> prepared = prepare_program(program());
    if (!prepared) return fail(prepared.error());
    Result<FindingFilter> filter = FindingFilter::open(findings_);
    if (!filter) return fail(filter.error());
    Result<std::unique_ptr<Pipeline>> pipeline = Pipeline::make(findings_.analysis);
    if (!pipeline) return fail(pipeline.error());
    Analysis analysis = shown_analysis(findings_, **pipeline);
    analysis.covered =
        fmt::format("this one execution: strategy {}, seed {}", options_.strategy, options_.seed);
    analysis.next = next_commands();
    const Result<Outcome> outcome = execute(*prepared, **pipeline, analysis);
    if (!outcome) return fail(outcome.error());
    analysis.failed = verdict_of(outcome->execution.kind) == DocumentVerdict::kFound;
    (*pipeline)->end({});

    if (const std::string& problem = outcome->execution.trace_problem; !problem.empty()) {
      error_line(fmt::format(
          "some of what the program did could not be read ({}): did it write where it should not?",
          problem));
    }
    complain(problems_text(analysis));
    if (findings_.strict_events && !(*pipeline)->problems().empty()) return kBadInput;
    const FilteredFindings filtered = filter->apply(**pipeline);
    const CheckReport report{program().front(), outcome->execution, outcome->failure, analysis,
                             filtered};
    const int status = show(document_of(report));
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

  ProgramOptions options_;
  FindingOptions findings_;
};

}  // namespace

std::unique_ptr<Subcommand> make_check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace raddle
