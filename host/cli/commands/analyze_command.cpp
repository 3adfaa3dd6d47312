// raddle analyze: the detectors on a recorded execution.
#include <fmt/format.h>

#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/trace_input.hpp"
#include "host/cli/running/finding_filter.hpp"
#include "host/cli/running/left_to_exit.hpp"
#include "host/cli/terminal/exit_status.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/results/analyze_report.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

class AnalyzeCommand final : public Subcommand {
 public:
  AnalyzeCommand()
      : Subcommand("analyze", "What could go wrong, by a trace of one execution",
                   Takes::kTraceFile) {}

  void add_options(CLI::App& app) override {
    app.add_option("file", input_.file, "The trace file")->required()->type_name("FILE");
    add_analysis_options(app, findings_);
    app.add_flag("--salvage", input_.salvage, "Read a damaged file up to the damage");
    choice(app, "--from", input_.from, {"auto", "raddle", "std"}, "Format of the file");
    add_reports(app);
  }

  int run() override {
    if (const Result<bool> writable = check_reports(); !writable) return fail(writable.error());
    Result<FindingFilter> filter = FindingFilter::open(findings_);
    if (!filter) return fail(filter.error());
    findings_.analysis.threads = detector_threads();
    Result<std::unique_ptr<Pipeline>> made = Pipeline::make(findings_.analysis);
    if (!made) return fail(made.error());
    const Result<ReadSummary> summary = read_input(input_, **made);
    if (!summary) return fail(summary.error());

    const Pipeline& pipeline = leave_to_exit(std::move(*made));
    Analysis analysis = shown_analysis(findings_, pipeline);
    analysis.instrumented = summary->header.instrumented;
    analysis.covered = "the one execution that was recorded";
    analysis.next = {{fmt::format("{} trace {}", tool_name(), shell_quoted(input_.file)),
                      "all that happened in it"}};
    note_input(input_, *summary);
    complain(problems_text(analysis));
    if (findings_.strict_events && !pipeline.problems().empty()) return kBadInput;
    const FilteredFindings filtered = filter->apply(pipeline);
    const AnalyzeReport report{input_.file, *summary, analysis, filtered};
    const int status = show(document_of(report));
    const auto saved = filter->save(filtered);
    return saved ? status : fail(saved.error());
  }

 private:
  TraceInput input_;
  FindingOptions findings_;
};

}  // namespace

std::unique_ptr<Subcommand> make_analyze_command() { return std::make_unique<AnalyzeCommand>(); }

}  // namespace raddle
