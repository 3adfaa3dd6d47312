#include "host/report/results/predict_report.hpp"

#include <fmt/format.h>

#include <algorithm>
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

constexpr char kNotProved[] =
    "The recording does not prove this schedule: the accesses see something else in it than they "
    "saw when it was recorded. It was tried, and this came of it.";

}  // namespace

std::string prediction_doubt(const PredictReport& report) {
  const PredictResult& result = report.result;
  if (!result.divergence.empty()) return result.divergence;
  if (result.problem.kind != CausalProblem::kNone) return problem_text(result.problem);
  return "";
}

std::string prediction_coverage(const PredictReport& report) {
  const PredictResult& result = report.result;
  std::string text = fmt::format(
      "{} that some schedule of the recorded steps has, each thread seeing what it saw: "
      "{} {}, {} unknown",
      report.unmodified ? "deadlocks, lost signals and violations of atomicity by locks"
                        : "data races, deadlocks, violations of atomicity and of atomic sets",
      grouped(result.queries), result.queries == 1 ? "query" : "queries", grouped(result.unknown));
  if (result.harmless > 0)
    text += fmt::format("; {} that took a lock twice, with another thread between, did no harm",
                        counted(result.harmless, "block"));
  if (result.not_asked > 0)
    text += fmt::format("; {} not asked, because there would be too many",
                        counted(result.not_asked, "question"));
  if (result.too_late > 0)
    text += fmt::format(
        "; {} not asked for want of time, which another time may suffice for more or fewer",
        counted(result.too_late, "question"));
  if (result.too_far_apart > 0)
    text += fmt::format("; {} not asked, because the steps are too far apart",
                        counted(result.too_far_apart, "question"));
  if (result.unconfirmed > 0)
    text += fmt::format("; {} did not show what the model says, and {} left out",
                        counted(result.unconfirmed, "witness execution"),
                        result.unconfirmed == 1 ? "is" : "are");
  return text;
}

std::string predicted_text(const PredictReport& report, std::size_t before,
                           const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  const PredictResult& result = report.result;
  std::string text = groups_text(
      report.failures, result.witnesses,
      [](const FailureGroup&) { return std::string("predicted, and executed."); }, look);
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    text += "\n" + finding_text(before + i + 1, result.findings[i].confirmation.story, 0, look);
    if (!result.findings[i].proved) text += paragraph(kNotProved, width, 3);
    if (result.findings[i].like > 0)
      text += paragraph(fmt::format("{} more about {}.", result.findings[i].like,
                                    printable(result.findings[i].confirmation.finding.object)),
                        width, 3);
    text += "\n" + replay_lines(report.replays[i]);
  }
  return text;
}

std::string stray_text(const PredictReport& report) {
  if (report.result.strayed.kind == CausalProblem::kNone) return "";
  return problem_text(report.result.strayed) +
         (report.stray_replay.empty()
              ? ""
              : " The execution is saved: raddle replay " + report.stray_replay);
}

namespace {

std::string text_of(const PredictReport& report, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  const PredictResult& result = report.result;
  std::string text = fmt::format("raddle: {}  {} recorded in {}\n", bold(report.program, look),
                                 counted(result.steps, "step"), report.file);
  if (const std::string why = prediction_doubt(report); !why.empty())
    return text + "\n" + paragraph("No prediction: " + why, width, 0);
  text += predicted_text(report, 0, look);
  const std::size_t findings = report.failures.size() + result.findings.size();
  text += "\n" + paragraph(bold(fmt::format("{}: {}; {}.",
                                            findings == 0 ? "Nothing predicted"
                                                          : counted(findings, "predicted finding"),
                                            counted(result.witnesses, "witness execution"),
                                            duration_text(report.seconds)),
                                look),
                           width, 0);
  text += paragraph("Covered: " + prediction_coverage(report) + ".", width, 0);
  if (const std::string stray = stray_text(report); !stray.empty())
    text += "\n" + paragraph(stray, width, 0);
  return text;
}

}  // namespace

nlohmann::ordered_json prediction_json(const PredictReport& report) {
  const PredictResult& result = report.result;
  nlohmann::ordered_json json = {{"steps", result.steps},
                                 {"queries", result.queries},
                                 {"unknown", result.unknown},
                                 {"witnesses", result.witnesses},
                                 {"unconfirmed", result.unconfirmed},
                                 {"tried", result.tried},
                                 {"harmless", result.harmless},
                                 {"windows", result.windows},
                                 {"pruned", result.pruned},
                                 {"too_far_apart", result.too_far_apart},
                                 {"effort", result.effort},
                                 {"not_asked", result.not_asked},
                                 {"too_late", result.too_late},
                                 {"not_followed", nullptr},
                                 {"problem", nullptr}};
  if (const std::string why = prediction_doubt(report); !why.empty()) json["problem"] = why;
  if (const std::string stray = stray_text(report); !stray.empty())
    json["not_followed"] = {{"message", stray}, {"replay", report.stray_replay}};
  json["findings"] = nlohmann::ordered_json::array();
  for (const FailureGroup& group : report.failures)
    json["findings"].push_back(group_json(group, "first"));
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    const PredictedFinding& one = result.findings[i];
    nlohmann::ordered_json entry = {{"kind", finding_kind_text(one.confirmation.finding.kind)},
                                    {"level", finding_level_text(one.level)},
                                    {"message", one.confirmation.finding.what},
                                    {"object", one.confirmation.finding.object},
                                    {"pattern", one.confirmation.finding.pattern},
                                    {"declared", one.confirmation.finding.declared},
                                    {"proved", one.proved},
                                    {"like", one.like},
                                    {"replay", report.replays[i]}};
    json["findings"].push_back(std::move(entry));
  }
  return json;
}

namespace {

nlohmann::ordered_json json_of(const PredictReport& report) {
  nlohmann::ordered_json json = {
      {"command", "predict"}, {"file", report.file}, {"program", report.program}};
  json.update(prediction_json(report));
  return json;
}

}  // namespace

void add_predicted(Document& document, const PredictReport& report) {
  for (const FailureGroup& group : report.failures) document.findings.push_back(finding_of(group));
  for (std::size_t i = 0; i < report.result.findings.size(); ++i) {
    const PredictedFinding& one = report.result.findings[i];
    document.findings.push_back(finding_of(one.confirmation.story));
    document.findings.back().replay = report.replays[i];
    document.findings.back().counts = report.strict || one.level >= FindingLevel::kHarmful;
  }
  const bool counts = !report.failures.empty() ||
                      std::any_of(report.result.findings.begin(), report.result.findings.end(),
                                  [&](const PredictedFinding& one) {
                                    return report.strict || one.level >= FindingLevel::kHarmful;
                                  });
  if (counts) document.verdict = DocumentVerdict::kFound;
}

Document document_of(const PredictReport& report) {
  Document document;
  document.command = "predict";
  document.program = report.program;
  const std::string why = prediction_doubt(report);
  const std::string stray = stray_text(report);
  document.verdict = why.empty() && stray.empty() ? DocumentVerdict::kNothingFound
                                                  : DocumentVerdict::kInconclusive;
  add_predicted(document, report);
  if (!stray.empty()) document.notes.push_back(stray);
  document.counts = {{"steps", report.result.steps},
                     {"queries", report.result.queries},
                     {"unknown", report.result.unknown},
                     {"witnesses", report.result.witnesses}};
  document.covered = why.empty() ? prediction_coverage(report) : "";
  if (!why.empty()) document.notes.push_back(why);
  document.seconds = report.seconds;
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
