#include "host/report/results/replay_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/report/document/executions.hpp"
#include "host/report/document/findings.hpp"
#include "host/report/explanation_json.hpp"
#include "host/report/explanation_text.hpp"
#include "host/report/finding_json.hpp"
#include "host/report/finding_text.hpp"
#include "host/report/results/execution_report.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/headline.hpp"

namespace raddle {
namespace {

// The recording says that it did harm, and this time none was found.
std::string level_words(const ReplayReport& report) {
  const bool harmful = report.file.level == finding_level_text(FindingLevel::kHarmful);
  if (!harmful || !report.finding || report.finding->level != FindingLevel::kSeen) return {};
  return "It was recorded as harmful; the executions that would show the harm again do not: " +
         report.finding->harm.why_not + ".";
}

// What counts, as in a hunt.
bool counts(const ReplayReport& report) {
  return !report.misuses.empty() ||
         (report.finding && report.finding->level >= FindingLevel::kHarmful);
}

// What was confirmed by an execution that did not fail. The words of the file are anybody's.
std::string confirmed_text(const ReplayReport& report, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  std::string text;
  for (const ExplainedMisuse& one : report.misuses)
    text += fmt::format("\n{}\n{}\n", bold("MISUSE", look),
                        misuse_text(one.misuse, one.explanation, look));
  if (report.finding) {
    text += "\n" + finding_text(1, *report.finding, 0, look) + "\n";
    if (const std::string words = level_words(report); !words.empty())
      text += paragraph(words, width, 3);
  }
  if (!text.empty() || report.file.message.empty()) return text;
  constexpr std::size_t kMostWords = 400;
  return paragraph("Recorded as confirmed: " + printable(report.file.message.substr(0, kMostWords)),
                   width, 3);
}

const char* stream_words(StreamKind kind) {
  switch (kind) {
    case StreamKind::kPipe:
      return "a pipe";
    case StreamKind::kFile:
      return "a file";
    case StreamKind::kNull:
      return "/dev/null";
    case StreamKind::kTerminal:
      return "a terminal";
    case StreamKind::kOther:
      return "a socket or device";
  }
  return "";
}

// The streams that were of another kind when the execution was recorded; programs look at that.
std::string stream_difference(const ReplayReport& report) {
  const StreamKinds& then = report.file.streams;
  const StreamKinds& now = report.execution.streams;
  std::string text;
  const auto compare = [&text](const char* name, StreamKind recorded, StreamKind replayed) {
    if (recorded == replayed) return;
    text += fmt::format("{}{} {}, replayed with {}", text.empty() ? "It was recorded with " : "; ",
                        name, stream_words(recorded), stream_words(replayed));
  };
  compare("standard input", then.input, now.input);
  compare("standard output", then.output, now.output);
  compare("standard error", then.error, now.error);
  return text.empty() ? text : text + ".";
}

std::string diverged_text(const ReplayReport& report, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  std::string text =
      fmt::format("raddle: {}: {}\n", bold("diverged", look), execution_facts(report.execution));
  text += paragraph(report.difference, width, 3);
  if (const std::string streams = stream_difference(report); !streams.empty())
    text += paragraph(streams, width, 3);
  text += paragraph(
      "The program does something that Raddle does not decide: time of day, random "
      "numbers, other input, files or processes. Record it again with the same input.",
      width, 3);
  return text + program_output(report.execution);
}

std::string text_of(const ReplayReport& report, const TextOptions& look) {
  if (!report.difference.empty() && report.interrupted)
    return fmt::format("raddle: {} before its end: {}\n", bold("interrupted", look),
                       execution_facts(report.execution));
  if (!report.difference.empty()) return diverged_text(report, look);
  const Execution& execution = report.execution;
  const bool passed = execution.kind == OutcomeKind::kNone;
  std::string text = fmt::format("raddle: {}, as recorded: {}\n",
                                 bold(passed ? "passed" : outcome_text(execution.kind), look),
                                 execution_facts(execution));
  text += passed ? confirmed_text(report, look)
                 : explained_text(report.failure, report.explanation, look);
  text += program_output(execution);
  return text +
         fmt::format("   in gdb   {} replay --gdb {}\n", tool_name(), shell_quoted(report.path));
}

nlohmann::ordered_json json_of(const ReplayReport& report) {
  nlohmann::ordered_json json = {{"command", "replay"}, {"replay", report.path}};
  json["recorded_outcome"] = outcome_text(report.file.outcome);
  json["same"] = report.difference.empty();
  json["difference"] = report.difference;
  json["stream_difference"] = report.difference.empty() ? "" : stream_difference(report);
  json["diverged_step"] = nullptr;
  if (report.execution.kind == OutcomeKind::kDiverged) {
    json["diverged_step"] = report.execution.report->diverged_step;
  }
  json.update(execution_json(report.execution, report.failure));
  json["explanation"] = explanation_json(report.explanation);
  json["confirmed"] = nullptr;
  if (report.finding) json["confirmed"] = finding_json(*report.finding);
  json["misuse_explanations"] = nlohmann::ordered_json::array();
  for (const ExplainedMisuse& one : report.misuses)
    json["misuse_explanations"].emplace_back(explanation_json(one.explanation));
  json.update(output_json(report.execution));
  return json;
}

}  // namespace

std::string difference(const ReplayFile& file, const Execution& execution, const Failure& failure) {
  if (execution.kind == OutcomeKind::kDiverged) return headline(failure);
  if (execution.kind != file.outcome) {
    return fmt::format("recorded was {} ({}), now it is {} ({})", outcome_text(file.outcome),
                       file.outcome == OutcomeKind::kNone ? "nothing failed" : file.message,
                       outcome_text(execution.kind),
                       execution.kind == OutcomeKind::kNone ? "nothing failed" : headline(failure));
  }
  if (execution.steps != file.log.size()) {
    return fmt::format("the recording has {}, the replay ended after {}",
                       counted(file.log.size(), "step"), grouped(execution.steps));
  }
  if (execution.log_hash != log_hash(file.log)) return "the choice logs differ";
  return {};
}

Document document_of(const ReplayReport& report) {
  Document document = execution_document(report.execution, report.failure);
  document.command = "replay";
  document.program = report.file.program;
  if (!document.findings.empty()) {
    document.findings.front() =
        finding_of(report.failure, report.explanation, report.timeline, report.execution);
    if (report.passing && !report.passing->empty())
      document.findings.front().passing = execution_of(*report.passing, Failure{});
  }
  for (const ExplainedMisuse& one : report.misuses)
    document.findings.push_back(finding_of(one.misuse, one.explanation));
  if (report.finding) document.findings.push_back(finding_of(*report.finding));
  if (counts(report)) document.verdict = DocumentVerdict::kFound;
  for (DocumentFinding& finding : document.findings) finding.replay = report.path;
  if (!report.difference.empty()) {
    document.verdict = DocumentVerdict::kInconclusive;
    document.notes = {report.difference};
  }
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
