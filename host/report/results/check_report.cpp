#include "host/report/results/check_report.hpp"

#include <nlohmann/json.hpp>

#include "host/report/results/execution_report.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

std::string text_of(const CheckReport& report, const TextOptions& look) {
  const bool passed = report.execution.kind == OutcomeKind::kNone;
  std::string text = verdict_text(report.execution, report.failure, look);
  if (!passed || !report.filtered.findings.empty()) text += '\n';
  text += analysis_text(report.analysis, report.filtered, look);
  if (report.predicted == nullptr) return text;
  const std::string why = prediction_doubt(*report.predicted);
  text += predicted_text(*report.predicted, report.filtered.findings.size(), look);
  std::string words = why.empty() ? "Other schedules: " + prediction_coverage(*report.predicted)
                                  : "Other schedules: nothing was predicted. " + why;
  if (!words.ends_with('.')) words += '.';
  text += paragraph(words, static_cast<std::size_t>(look.width), 3);
  if (const std::string stray = stray_text(*report.predicted); !stray.empty())
    text += paragraph(stray, static_cast<std::size_t>(look.width), 3);
  return text;
}

nlohmann::ordered_json json_of(const CheckReport& report) {
  nlohmann::ordered_json json = {{"command", "check"}};
  json.update(execution_json(report.execution, report.failure));
  json.update(analysis_json(report.analysis, report.filtered));
  json.update(output_json(report.execution));
  json["predicted"] = nullptr;
  if (report.predicted != nullptr) json["predicted"] = prediction_json(*report.predicted);
  return json;
}

}  // namespace

Document document_of(const CheckReport& report) {
  Document document = execution_document(report.execution, report.failure);
  document.command = "check";
  document.program = report.program;
  document.beside_program = true;
  add_analysis(document, report.analysis, report.filtered);
  if (report.predicted != nullptr) add_predicted(document, *report.predicted);
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
