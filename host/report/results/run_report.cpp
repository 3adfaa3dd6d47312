#include "host/report/results/run_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/report/results/execution_report.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

std::string text_of(const RunReport& report, const TextOptions& look) {
  std::string text = verdict_text(report.execution, report.failure, look);
  if (!report.saved.empty()) {
    text += fmt::format("   again    {} replay {}\n", tool_name(), shell_quoted(report.saved));
  }
  return text;
}

nlohmann::ordered_json json_of(const RunReport& report) {
  nlohmann::ordered_json json = {{"command", "run"}};
  json.update(execution_json(report.execution, report.failure));
  json.update(output_json(report.execution));
  json["replay"] = nullptr;
  if (!report.saved.empty()) json["replay"] = report.saved;
  return json;
}

}  // namespace

Document document_of(const RunReport& report) {
  Document document = execution_document(report.execution, report.failure);
  document.command = "run";
  document.program = report.program;
  document.beside_program = true;
  for (DocumentFinding& finding : document.findings) finding.replay = report.saved;
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
