#include "host/report/results/hunt/hunt_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/report/document/executions.hpp"
#include "host/report/document/findings.hpp"
#include "host/report/results/hunt/hunt_causes.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/circumstances/circumstance_words.hpp"
#include "host/report/words/note_words.hpp"

namespace raddle {
namespace {

DocumentVerdict verdict_of(const HuntReport& report) {
  const HuntResult& result = report.result;
  const bool besides = !counting(report).empty() || !result.misuses.empty();
  const bool failing = failing_causes(report) > 0;
  const bool found =
      failing || !report.earlier_failures.empty() || (!report.failing_only && besides);
  if (found) return DocumentVerdict::kFound;
  // An execution that did not end may be the one that fails; so may one that was not executed
  // because the user had enough. What fails without us does not pass.
  return result.inconclusive > 0 || result.executions == 0 || result.interrupted ||
                 report.native.end == NativeRun::End::kFailed
             ? DocumentVerdict::kInconclusive
             : DocumentVerdict::kNothingFound;
}

DocumentFinding finding_of(const HuntFailure& failure) {
  DocumentFinding finding = raddle::finding_of(failure.group, failure.failure, failure.smallest);
  if (const std::string needs = circumstance_words(failure.needs); !needs.empty())
    finding.sentences.push_back("It needs " + needs + ".");
  if (failure.passing && !failure.passing->empty())
    finding.passing = execution_of(*failure.passing, Failure{});
  return finding;
}

DocumentFinding finding_of(const FoundMisuse& one, const HuntReport& report) {
  DocumentFinding finding = raddle::finding_of(one.note.what, one.explanation);
  finding.counts = !report.failing_only;
  finding.count = one.note.count;
  finding.replay = one.replay_path;
  return finding;
}

DocumentFinding finding_of(const HuntFinding& one, const HuntReport& report) {
  DocumentFinding finding;
  if (one.level == FindingLevel::kCandidate) {
    finding.kind = finding_kind_text(one.finding.kind);
    finding.message = one.finding.what;
    finding.object = one.finding.object;
  } else {
    finding = raddle::finding_of(one.story);
  }
  finding.level = one.level;
  finding.id = fmt::format("{:016x}", one.key);
  finding.count = one.realised;
  // It may have been seen in executions that did not have it in view: how often says nothing then.
  const bool elsewhere = one.realised == 0 && one.level != FindingLevel::kCandidate;
  finding.of = elsewhere ? 0 : one.tried;
  finding.replay = one.replay_path;
  const FindingLevel least = report.strict ? FindingLevel::kSeen : FindingLevel::kHarmful;
  finding.counts =
      one.level == FindingLevel::kFailing || (one.level >= least && !report.failing_only);
  return finding;
}

}  // namespace

std::size_t count_of(const HuntResult& result, FindingLevel at_least) {
  return static_cast<std::size_t>(
      std::count_if(result.candidates.begin(), result.candidates.end(),
                    [&](const HuntFinding& one) { return one.level >= at_least; }));
}

std::vector<const HuntFinding*> counting(const HuntReport& report) {
  std::vector<const HuntFinding*> list;
  const FindingLevel least = report.strict ? FindingLevel::kSeen : FindingLevel::kHarmful;
  for (const HuntFinding& one : report.result.candidates)
    if (one.level >= least && one.level != FindingLevel::kFailing) list.push_back(&one);
  return list;
}

Document document_of(const HuntReport& report) {
  const HuntResult& result = report.result;
  Document document;
  document.command = "hunt";
  document.program = report.program;
  document.verdict = verdict_of(report);
  const std::vector<std::size_t> first = first_of_cause(result);
  for (std::size_t i = 0; i < first.size(); ++i) {
    DocumentFinding finding = finding_of(result.failures[i]);
    finding.of = result.executions;
    finding.counts = counts(result.failures[i], report);
    if (first[i] != i) {
      finding.part_of = first[i] + 1;
      finding.counts = false;
    }
    document.findings.push_back(std::move(finding));
  }
  const auto of_failure = failures_of_misuses(result);
  for (std::size_t i = 0; i < result.misuses.size(); ++i) {
    DocumentFinding finding = finding_of(result.misuses[i], report);
    if (of_failure[i]) {
      finding.part_of = *of_failure[i] + 1;
      finding.counts = false;
    }
    document.findings.push_back(std::move(finding));
  }
  const std::vector<PartOf> parts = parts_of(report);
  const std::size_t before = document.findings.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    DocumentFinding finding = finding_of(result.candidates[i], report);
    const bool of_one = parts[i].kind == PartOf::Kind::kFailure;
    if (parts[i].kind != PartOf::Kind::kNothing) {
      finding.part_of = (of_one ? 0 : before) + parts[i].index + 1;
      finding.counts = false;
    }
    document.findings.push_back(std::move(finding));
  }
  document.counts = {
      {"executions", result.executions},
      {"inconclusive", result.inconclusive},
      {"failing", failing_causes(report)},
      {"confirmed", count_of(result, FindingLevel::kHarmful)},
      {"seen", count_of(result, FindingLevel::kSeen) - count_of(result, FindingLevel::kHarmful)},
      {"misuses", result.misuses.size()},
      {"candidates", result.candidates.size()},
      {"schedules", result.schedules},
      {"threads", result.threads}};
  document.covered =
      fmt::format("{} of this input", counted(result.schedules, "different schedule"));
  document.not_covered = not_covered_text(report);
  if (const std::string natively = native_text(report.native); !natively.empty())
    document.notes.push_back(natively);
  if (result.interrupted) document.notes.emplace_back("interrupted");
  for (const std::string& path : report.earlier_failures)
    document.notes.push_back("found before: " + path);
  for (const NoteLine& note : note_lines(result.inconclusive_reasons))
    document.notes.push_back(note.text);
  for (std::string& remark : coverage_remarks(report)) document.notes.push_back(std::move(remark));
  document.out_of_control = result.out_of_control;
  document.seconds = report.seconds;
  document.text = [&report](const TextOptions& look) { return hunt_text(report, look); };
  document.json = [&report] { return hunt_json(report); };
  return document;
}

}  // namespace raddle
