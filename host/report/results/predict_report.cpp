#include "host/report/results/predict_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/process/outcome.hpp"
#include "host/report/document/findings.hpp"
#include "host/report/finding_text.hpp"
#include "host/report/results/execution_report.hpp"
#include "host/report/results/failure_group_report.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/causal_words.hpp"

namespace raddle {
namespace {

// Why nothing, or less than all, can be said; empty if that is not so.
std::string doubt(const PredictReport& report) {
  const PredictResult& result = report.result;
  if (!result.divergence.empty()) return result.divergence;
  if (result.problem.kind != CausalProblem::kNone) return problem_text(result.problem);
  return "";
}

std::string coverage(const PredictReport& report) {
  const PredictResult& result = report.result;
  std::string text = fmt::format(
      "deadlocks{} that some schedule of the recorded steps has, each thread seeing what it saw: "
      "{} {}, {} unknown",
      report.unmodified ? "" : " and data races", grouped(result.queries),
      result.queries == 1 ? "query" : "queries", grouped(result.unknown));
  if (result.unconfirmed > 0)
    text += fmt::format("; {} did not show what the model says, and {} left out",
                        counted(result.unconfirmed, "witness execution"),
                        result.unconfirmed == 1 ? "is" : "are");
  return text;
}

std::string text_of(const PredictReport& report, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  const PredictResult& result = report.result;
  std::string text = fmt::format("raddle: {}  {} recorded in {}\n", bold(report.program, look),
                                 counted(result.steps, "step"), report.file);
  if (const std::string why = doubt(report); !why.empty())
    return text + "\n" + paragraph("No prediction: " + why, width, 0);
  text += groups_text(
      report.failures, result.witnesses,
      [](const FailureGroup&) { return std::string("predicted, and executed."); }, look);
  for (std::size_t i = 0; i < result.races.size(); ++i) {
    text += "\n" + finding_text(i + 1, result.races[i].confirmation.story, 0, look);
    text += "\n" + replay_lines(report.race_replays[i]);
  }
  const std::size_t findings = report.failures.size() + result.races.size();
  text += "\n" + paragraph(bold(fmt::format("{}: {}; {}.",
                                            findings == 0 ? "Nothing predicted"
                                                          : counted(findings, "predicted finding"),
                                            counted(result.witnesses, "witness execution"),
                                            duration_text(report.seconds)),
                                look),
                           width, 0);
  return text + paragraph("Covered: " + coverage(report) + ".", width, 0);
}

nlohmann::ordered_json json_of(const PredictReport& report) {
  const PredictResult& result = report.result;
  nlohmann::ordered_json json = {{"command", "predict"},
                                 {"file", report.file},
                                 {"program", report.program},
                                 {"steps", result.steps},
                                 {"queries", result.queries},
                                 {"unknown", result.unknown},
                                 {"witnesses", result.witnesses},
                                 {"unconfirmed", result.unconfirmed},
                                 {"problem", nullptr}};
  if (const std::string why = doubt(report); !why.empty()) json["problem"] = why;
  json["findings"] = nlohmann::ordered_json::array();
  for (const FailureGroup& group : report.failures)
    json["findings"].push_back(group_json(group, "first"));
  for (std::size_t i = 0; i < result.races.size(); ++i)
    json["findings"].push_back({{"kind", "race"},
                                {"message", result.races[i].confirmation.finding.what},
                                {"replay", report.race_replays[i]}});
  return json;
}

}  // namespace

Document document_of(const PredictReport& report) {
  Document document;
  document.command = "predict";
  document.program = report.program;
  for (const FailureGroup& group : report.failures) document.findings.push_back(finding_of(group));
  for (std::size_t i = 0; i < report.result.races.size(); ++i) {
    document.findings.push_back(finding_of(report.result.races[i].confirmation.story));
    document.findings.back().replay = report.race_replays[i];
  }
  const std::string why = doubt(report);
  document.verdict = !document.findings.empty() ? DocumentVerdict::kFound
                     : why.empty()              ? DocumentVerdict::kNothingFound
                                                : DocumentVerdict::kInconclusive;
  document.counts = {{"steps", report.result.steps},
                     {"queries", report.result.queries},
                     {"unknown", report.result.unknown},
                     {"witnesses", report.result.witnesses}};
  document.covered = why.empty() ? coverage(report) : "";
  if (!why.empty()) document.notes.push_back(why);
  document.seconds = report.seconds;
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
