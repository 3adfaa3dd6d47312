#include "host/report/results/minimize_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/process/outcome.hpp"
#include "host/report/explanation_json.hpp"
#include "host/report/explanation_text.hpp"
#include "host/report/results/execution_report.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

std::string arrow(std::uint64_t before, std::uint64_t after, const char* noun, const char* plural) {
  return fmt::format("{} -> {} {}", grouped(before), grouped(after), after == 1 ? noun : plural);
}

std::string costs(const Minimized& result) {
  const auto& [before, after] = std::pair(result.before, result.after);
  return fmt::format("{}, {}, {}",
                     arrow(before.preemptions, after.preemptions, "preemption", "preemptions"),
                     arrow(before.switches, after.switches, "switch", "switches"),
                     arrow(before.steps, after.steps, "step", "steps"));
}

const char* end_text(MinimizeEnd end) {
  switch (end) {
    case MinimizeEnd::kComplete:
      return "";
    case MinimizeEnd::kTime:
      return "; out of time (--time), so that it may not be the smallest";
    case MinimizeEnd::kInterrupted:
      return "; interrupted, so that it may not be the smallest";
  }
  return "";
}

std::string gone_text(const MinimizeReport& report, const TextOptions& look) {
  return paragraph(
      fmt::format("raddle: {} no longer fails as recorded: {}. Nothing was "
                  "minimized. See `{} replay {}'.",
                  report.file, report.result.gone, tool_name(), shell_quoted(report.file)),
      static_cast<std::size_t>(look.width), 0);
}

std::string text_of(const MinimizeReport& report, const TextOptions& look) {
  const Failure& failure = report.explained.failure;
  const Explanation& explanation = report.explained.explanation;
  const Minimized& result = report.result;
  if (!result.gone.empty()) return gone_text(report, look);
  std::string text = paragraph(fmt::format("raddle: minimized: {}; {}, {}{}", costs(result),
                                           counted(result.executions, "execution"),
                                           duration_text(result.seconds), end_text(result.end)),
                               static_cast<std::size_t>(look.width), 0);
  text += is_failing(result.execution.kind) ? explained_text(failure, explanation, look)
                                            : explanation_text(explanation, failure, look);
  return text + program_output(result.execution) + "\n" + replay_lines(report.replay);
}

nlohmann::ordered_json json_of(const MinimizeReport& report) {
  const Minimized& result = report.result;
  nlohmann::ordered_json json = {
      {"command", "minimize"}, {"file", report.file}, {"replay", nullptr}};
  if (!result.gone.empty()) {
    json["gone"] = result.gone;
    return json;
  }
  json["replay"] = report.replay;
  json["before"] = cost_json(result.before);
  json["after"] = cost_json(result.after);
  json["executions"] = result.executions;
  json["complete"] = result.end == MinimizeEnd::kComplete;
  json["interrupted"] = result.end == MinimizeEnd::kInterrupted;
  json["minimize_seconds"] = result.seconds;
  json.update(execution_json(result.execution, report.explained.failure));
  json["explanation"] = explanation_json(report.explained.explanation);
  json.update(output_json(result.execution));
  return json;
}

Document plain_document(const MinimizeReport& report) {
  const Minimized& result = report.result;
  if (!result.gone.empty()) {
    return {.verdict = DocumentVerdict::kInconclusive, .notes = {result.gone}};
  }
  Document document = execution_document(result.execution, report.explained.failure);
  document.verdict = DocumentVerdict::kFound;  // confirmed or failing
  for (DocumentFinding& finding : document.findings) finding.replay = report.replay;
  document.counts.push_back({"executions", result.executions});
  document.seconds = result.seconds;
  return document;
}

}  // namespace

Document document_of(const MinimizeReport& report) {
  Document document = plain_document(report);
  document.command = "minimize";
  document.program = report.program;
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
