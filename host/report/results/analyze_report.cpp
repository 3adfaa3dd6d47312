#include "host/report/results/analyze_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

constexpr char kSharedOnly[] =
    "the trace has shared accesses only: what one thread alone touched is not in it";

// Recorded to the end of the program.
bool is_whole(const ReadSummary& summary) {
  return summary.end.complete && !summary.damage && !summary.live;
}

std::string recorded_end(const ReadSummary& summary) {
  if (!is_whole(summary)) return "the trace breaks off: nothing is known of what came after";
  if (summary.end.message.empty()) return {};
  return "the recorded execution ended so: " + printable(summary.end.message);
}

std::string text_of(const AnalyzeReport& report, const TextOptions& look) {
  const std::string instrumentation = instrumentation_note(
      shell_quoted(report.file), report.analysis.options, report.summary.header.instrumented);
  const std::string note =
      instrumentation +
      (report.summary.header.shared_only ? fmt::format("raddle: {}\n", kSharedOnly) : "");
  const std::string end = recorded_end(report.summary);
  return note + (end.empty() ? "" : "raddle: " + end + "\n") +
         (note.empty() && end.empty() ? "" : "\n") +
         analysis_text(report.analysis, report.filtered, look);
}

nlohmann::ordered_json json_of(const AnalyzeReport& report) {
  const ReadSummary& summary = report.summary;
  nlohmann::ordered_json json = {{"command", "analyze"}};
  json["file"] = printable(report.file);
  json["program"] = printable(summary.header.program);
  json["shared_only"] = summary.header.shared_only;
  json["complete"] = is_whole(summary);
  json["outcome"] = printable(summary.end.outcome);
  json["message"] = printable(summary.end.message);
  json["threads"] = report.analysis.pipeline.state().threads();
  json.update(analysis_json(report.analysis, report.filtered));
  return json;
}

}  // namespace

Document document_of(const AnalyzeReport& report) {
  Document document;
  document.command = "analyze";
  document.program = printable(report.summary.header.program);
  document.verdict =
      is_whole(report.summary) ? DocumentVerdict::kNothingFound : DocumentVerdict::kInconclusive;
  if (const std::string end = recorded_end(report.summary); !end.empty())
    document.notes.push_back(end);
  if (report.summary.header.shared_only) document.notes.emplace_back(kSharedOnly);
  add_analysis(document, report.analysis, report.filtered);
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
