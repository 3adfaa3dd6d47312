#include "host/report/results/fuzz_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/report/document/findings.hpp"
#include "host/report/results/candidate_report.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/note_words.hpp"
#include "host/report/words/unseen_words.hpp"

namespace raddle {
namespace {

// What counts for the verdict.
FindingLevel least_level(const FuzzReport& report) {
  return report.strict ? FindingLevel::kSeen : FindingLevel::kHarmful;
}

DocumentVerdict verdict_of(const FuzzReport& report) {
  const FuzzResult& result = report.result;
  if (result.counts.failing > 0 || !result.misuses.empty()) return DocumentVerdict::kFound;
  for (const DocumentFinding& pursued : pursued_findings(result)) {
    if (pursued.level >= least_level(report)) return DocumentVerdict::kFound;
  }
  if (result.pursues && result.pursued.empty()) return DocumentVerdict::kNothingFound;
  // An execution that did not end may be the one that fails; so may one that was not executed
  // because the user had enough.
  return result.counts.inconclusive > 0 || result.counts.executions == 0 || result.interrupted
             ? DocumentVerdict::kInconclusive
             : DocumentVerdict::kNothingFound;
}

}  // namespace

double executions_per_second(const FuzzResult& result) {
  return result.seconds > 0 ? static_cast<double>(result.counts.executions) / result.seconds : 0;
}

Document document_of(const FuzzReport& report) {
  const FuzzResult& result = report.result;
  const FuzzCounts& counts = result.counts;
  Document document;
  document.command = "fuzz";
  document.program = report.program;
  document.verdict = verdict_of(report);
  for (const FailureGroup& group : result.findings) {
    document.findings.push_back(finding_of(group));
    document.findings.back().of = counts.executions;
  }
  for (DocumentFinding& pursued : pursued_findings(result)) {
    pursued.counts = pursued.level >= least_level(report);
    document.findings.push_back(std::move(pursued));
  }
  document.counts = {{"executions", counts.executions},     {"failing", counts.failing},
                     {"inconclusive", counts.inconclusive}, {"schedules", counts.schedules},
                     {"threads", counts.threads},           {"steps", counts.steps}};
  document.covered =
      fmt::format("{} of this input", counted(counts.schedules, "different schedule"));
  document.not_covered = not_covered_text(report);
  if (result.interrupted) document.notes.emplace_back("interrupted");
  for (const NoteLine& note : note_lines(result.inconclusive)) document.notes.push_back(note.text);
  for (const NoteLine& note : note_lines(result.misuses)) document.notes.push_back(note.text);
  if (!result.instrumented && counts.threads > 1)
    document.notes.push_back(synchronisation_only_text());
  if (const std::string unseen = unseen_text(result.unseen); !unseen.empty())
    document.notes.push_back("not seen: " + unseen);
  if (std::string few = few_text(report); !few.empty()) document.notes.push_back(std::move(few));
  document.out_of_control = result.out_of_control;
  document.seconds = result.seconds;
  document.text = [&report](const TextOptions& look) { return fuzz_text(report, look); };
  document.json = [&report] { return fuzz_json(report); };
  return document;
}

}  // namespace raddle
