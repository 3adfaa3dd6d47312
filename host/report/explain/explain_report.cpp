#include "host/report/explain/explain_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "host/base/printable.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

// The lines of the file are anybody's: what would move a cursor becomes visible.
std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    out += printable(line) + "\n";
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return out;
}

std::size_t threads_in(const ReplayFile& file) {
  std::set<ThreadId> threads;
  for (const StepRecord& step : file.log) threads.insert(step.thread);
  return threads.size();
}

std::string command_line(const ReplayFile& file) {
  std::string text = shell_quoted(printable(file.program));
  for (std::size_t i = 1; i < file.arguments.size(); ++i)
    text += " " + shell_quoted(printable(file.arguments[i]));
  return text;
}

// It passed, and nobody confirmed anything in it.
bool uneventful(const ReplayFile& file) {
  return file.outcome == OutcomeKind::kNone && file.message.empty();
}

// Why there is no explanation; empty if there is one.
std::string missing(const ExplainReport& report) {
  if (!report.file.explanation.empty()) return {};
  if (uneventful(report.file))
    return "The recorded execution passed, so there is nothing to explain.";
  return fmt::format(
      "The file has no explanation: an earlier version wrote it, or nobody explained it then. "
      "`{} replay {}' runs the execution again and explains it.",
      tool_name(), shell_quoted(report.path));
}

std::string text_of(const ExplainReport& report, const TextOptions& look) {
  const ReplayFile& file = report.file;
  const bool passed = file.outcome == OutcomeKind::kNone;
  std::string text = fmt::format(
      "raddle: {}, recorded by raddle {}: {}\n   {}, {}; nothing was run\n",
      bold(passed ? "passed" : outcome_text(file.outcome), look), printable(file.raddle_version),
      command_line(file), counted(threads_in(file), "thread"), counted(file.log.size(), "step"));
  if (const std::string why = missing(report); !why.empty()) {
    if (!file.message.empty())
      text += paragraph(printable(file.message), static_cast<std::size_t>(look.width), 3);
    return text + paragraph(why, static_cast<std::size_t>(look.width), 3);
  }
  return text + printable_lines(file.explanation) + replay_lines(report.path);
}

nlohmann::ordered_json json_of(const ExplainReport& report) {
  const ReplayFile& file = report.file;
  nlohmann::ordered_json json = {{"command", "explain"},
                                 {"replay", report.path},
                                 {"program", printable(file.program)},
                                 {"arguments", nlohmann::ordered_json::array()}};
  for (const std::string& argument : file.arguments)
    json["arguments"].push_back(printable(argument));
  json["raddle"] = printable(file.raddle_version);
  json["outcome"] = outcome_text(file.outcome);
  json["message"] = printable(file.message);
  json["threads"] = threads_in(file);
  json["steps"] = file.log.size();
  json["explanation"] = nullptr;
  if (!file.explanation.empty()) json["explanation"] = printable_lines(file.explanation);
  return json;
}

}  // namespace

Document document_of(const ExplainReport& report) {
  Document document;
  document.command = "explain";
  document.program = printable(report.file.program);
  document.counts = {{"steps", report.file.log.size()}};
  if (!uneventful(report.file)) {
    document.verdict = DocumentVerdict::kFound;
    DocumentFinding finding;
    if (report.file.outcome == OutcomeKind::kNone) finding.level = FindingLevel::kConfirmed;
    finding.kind = outcome_text(report.file.outcome);
    finding.message = printable(report.file.message);
    finding.replay = report.path;
    finding.told = printable_lines(report.file.explanation);
    document.findings.push_back(std::move(finding));
    if (report.file.explanation.empty()) document.verdict = DocumentVerdict::kInconclusive;
  }
  if (std::string why = missing(report); !why.empty()) document.notes = {std::move(why)};
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
