// raddle analyze: the detectors on a recorded execution.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/cli/commands/analysis_report.hpp"
#include "host/cli/commands/commands.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/terminal.hpp"

namespace raddle {
namespace {

int fail(const std::string& error) {
  error_line(error);
  return kBadInput;
}

// Recorded to the end of the program.
bool is_whole(const ReadSummary& summary) {
  return summary.end.complete && !summary.damage && !summary.live;
}

std::string recorded_end(const ReadSummary& summary) {
  if (!is_whole(summary)) return "the trace breaks off: nothing is known of what came after";
  if (summary.end.message.empty()) return {};
  return "the recorded execution ended so: " + printable(summary.end.message);
}

nlohmann::ordered_json json_of(const AnalyzeCommand& command, const ReadSummary& summary,
                               const Analysis& analysis, const FilteredFindings& sifted) {
  nlohmann::ordered_json json = {{"command", "analyze"}};
  json["file"] = printable(command.input.file);
  json["program"] = printable(summary.header.program);
  json["complete"] = is_whole(summary);
  json["outcome"] = printable(summary.end.outcome);
  json["message"] = printable(summary.end.message);
  json["threads"] = analysis.pipeline.state().threads();
  json.update(analysis_json(analysis, sifted));
  return json;
}

}  // namespace

int analyze_command(const AnalyzeCommand& command) {
  Result<FindingFilter> sieve = FindingFilter::open(command.findings);
  if (!sieve) return fail(sieve.error());
  Result<std::unique_ptr<Pipeline>> pipeline = Pipeline::make(command.findings.analysis);
  if (!pipeline) return fail(pipeline.error());
  const Result<ReadSummary> summary = read_input(command.input, **pipeline);
  if (!summary) return fail(summary.error());

  const std::string file = shell_quoted(command.input.file);
  Analysis analysis{
      .options = command.findings,
      .pipeline = **pipeline,
      .instrumented = summary->header.instrumented,
      .covered = "the one execution that was recorded",
      .next = {{fmt::format("{} trace {}", tool_name(), file), "all that happened in it"}}};
  note_input(command.input, *summary);
  complain(problems_text(analysis));
  if (command.findings.strict && !(*pipeline)->problems().empty()) return kBadInput;
  const FilteredFindings sifted = sieve->sift(**pipeline);
  if (command.json) {
    print(json_of(command, *summary, analysis, sifted).dump(2) + "\n");
  } else {
    const std::string note =
        instrumentation_note(file, command.findings.analysis, summary->header.instrumented);
    const std::string end = recorded_end(*summary);
    print(note + (end.empty() ? "" : "raddle: " + end + "\n") +
          (note.empty() && end.empty() ? "" : "\n") +
          analysis_text(analysis, sifted, text_options(stdout)));
  }
  if (const auto saved = sieve->save(sifted); !saved) return fail(saved.error());
  if (!sifted.findings.empty()) return kFailingFound;
  return is_whole(*summary) ? kNothingFound : kInconclusiveEnd;
}

}  // namespace raddle
