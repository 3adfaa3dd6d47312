#include "host/report/results/record_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/report/results/execution_report.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

std::string text_of(const RecordReport& report, const TextOptions& look) {
  std::string text = verdict_text(report.execution, report.failure, look);
  if (report.broken) return text;  // what broke it is said last
  text += fmt::format("raddle: recorded {} events in {}, {}\n", report.events, report.file,
                      size_text(report.bytes));
  if (report.shared && report.instrumented) {
    text += fmt::format("raddle: shared accesses only: {} of {} memory accesses were kept\n",
                        report.shared->accesses_kept, report.shared->accesses);
  }
  if (!report.instrumented) {
    text +=
        "raddle: synchronisation only; build the program with raddle-cc or raddle-c++ to see its\n"
        "        memory accesses and functions too\n";
  }
  return text + fmt::format("   see      {} trace {}\n", tool_name(), shell_quoted(report.file));
}

nlohmann::ordered_json json_of(const RecordReport& report) {
  nlohmann::ordered_json json = {{"command", "record"}};
  json.update(execution_json(report.execution, report.failure));
  json.update(output_json(report.execution));
  json["trace"] = {{"file", report.file},
                   {"events", report.events},
                   {"bytes", report.bytes},
                   {"instrumented", report.instrumented}};
  if (report.shared) {
    json["trace"]["shared_only"] = true;
    json["trace"]["accesses"] = report.shared->accesses;
    json["trace"]["accesses_kept"] = report.shared->accesses_kept;
  }
  return json;
}

}  // namespace

Document document_of(const RecordReport& report) {
  Document document = execution_document(report.execution, report.failure);
  document.command = "record";
  document.program = report.program;
  document.beside_program = true;
  document.counts.push_back({"events", report.events});
  document.counts.push_back({"bytes", report.bytes});
  if (report.broken) document.notes.push_back(report.file + " ends before the execution did");
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
