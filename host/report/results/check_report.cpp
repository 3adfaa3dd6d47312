#include "host/report/results/check_report.hpp"

#include <nlohmann/json.hpp>

#include "host/report/results/execution_report.hpp"

namespace raddle {
namespace {

std::string text_of(const CheckReport& report, const TextOptions& look) {
  const bool passed = report.execution.kind == OutcomeKind::kNone;
  std::string text = verdict_text(report.execution, report.failure, look);
  if (!passed || !report.filtered.findings.empty()) text += '\n';
  return text + analysis_text(report.analysis, report.filtered, look);
}

nlohmann::ordered_json json_of(const CheckReport& report) {
  nlohmann::ordered_json json = {{"command", "check"}};
  json.update(execution_json(report.execution, report.failure));
  json.update(analysis_json(report.analysis, report.filtered));
  json.update(output_json(report.execution));
  return json;
}

}  // namespace

Document document_of(const CheckReport& report) {
  Document document = execution_document(report.execution, report.failure);
  document.command = "check";
  document.program = report.program;
  document.beside_program = true;
  add_analysis(document, report.analysis, report.filtered);
  if (!report.failure.misuses.empty()) document.verdict = DocumentVerdict::kFound;
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
