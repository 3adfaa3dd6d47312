#include "host/report/results/explore_report.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/report/document/findings.hpp"
#include "host/report/words/causal_words.hpp"
#include "host/report/words/note_words.hpp"

namespace raddle {
namespace {

// Of --delay-events, unless something else went wrong.
DocumentVerdict verdict_of(const DelayReport& delays) {
  switch (enforceable(delays)) {
    case Enforceable::kYes:
      return DocumentVerdict::kNothingFound;
    case Enforceable::kNo:
      return DocumentVerdict::kFound;
    case Enforceable::kNotKnown:
      break;
  }
  return DocumentVerdict::kInconclusive;
}

DocumentVerdict verdict_of(const ExploreReport& report) {
  const SearchCounts& counts = report.result.counts;
  if (report.delays && !report.result.divergence) return verdict_of(*report.delays);
  if (counts.failing > 0 || !report.misuses.empty() || !report.earlier.empty())
    return DocumentVerdict::kFound;
  const auto& causal = report.result.causal;
  if (causal && causal->problem.kind != CausalProblem::kNone) return DocumentVerdict::kInconclusive;
  if (report.result.divergence) return DocumentVerdict::kInconclusive;
  if (report.result.end == ExploreEnd::kStopped) return DocumentVerdict::kInconclusive;
  // An execution that did not end may be the one that fails.
  return counts.unfinished > 0 || counts.executions == 0 ? DocumentVerdict::kInconclusive
                                                         : DocumentVerdict::kNothingFound;
}

DocumentFinding finding_of(const EarlierFinding& earlier) {
  DocumentFinding finding;
  finding.kind = earlier.kind;
  finding.message = earlier.message;
  finding.count = earlier.count;
  finding.replay = earlier.replay;
  return finding;
}

}  // namespace

std::uint64_t estimated_executions(const SearchCounts& counts, double explored) {
  if (explored <= 0) return 0;
  const double total = static_cast<double>(counts.executions) / explored;
  if (total > 1e18) return 0;
  // Two digits: it is an estimate.
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(total)) - 1));
  return static_cast<std::uint64_t>(std::ceil(total / unit) * unit);
}

double executions_per_second(const ExploreResult& result) {
  return result.seconds > 0 ? static_cast<double>(result.counts.executions) / result.seconds : 0;
}

bool proves_properties(const ExploreReport& report) {
  return is_complete(report) && report.result.counts.failing == 0 &&
         report.result.counts.beyond_bound == 0;
}

Document document_of(const ExploreReport& report) {
  const SearchCounts& counts = report.result.counts;
  Document document;
  document.command = "explore";
  document.program = report.program;
  document.verdict = verdict_of(report);
  for (const EarlierFinding& one : report.earlier) document.findings.push_back(finding_of(one));
  for (const FailureGroup& one : report.findings) {
    if (document.verdict != DocumentVerdict::kFound) break;  // what holding back avoids
    document.findings.push_back(raddle::finding_of(one));
    document.findings.back().of = counts.executions;
  }
  for (const FoundMisuse& one : report.misuses) {
    document.findings.push_back(raddle::finding_of(one.note.what, one.explanation));
    document.findings.back().count = one.note.count;
    document.findings.back().of = counts.executions;
    document.findings.back().replay = one.replay_path;
  }
  document.counts = {{"executions", counts.executions},
                     {"failing", counts.failing},
                     {"unfinished", counts.unfinished},
                     {"threads", counts.threads},
                     {"steps", counts.steps}};
  document.covered = coverage_text(report);
  document.not_covered = not_covered_text(report);
  document.notes = report.remarks;
  if (report.delays) {
    document.notes.push_back(delay_sentence(*report.delays, counts.failing));
    for (const std::string& line : delay_lines(*report.delays)) document.notes.push_back(line);
  }
  if (report.result.causal && report.result.causal->problem.kind != CausalProblem::kNone)
    document.notes.push_back(problem_text(report.result.causal->problem));
  if (!report.divergence.empty()) document.notes.push_back(report.divergence);
  for (const NoteLine& note : note_lines(report.unfinished)) document.notes.push_back(note.text);
  document.out_of_control = report.out_of_control;
  document.seconds = report.result.seconds;
  document.text = [&report](const TextOptions& look) { return explore_text(report, look); };
  document.json = [&report] { return explore_json(report); };
  return document;
}

}  // namespace raddle
