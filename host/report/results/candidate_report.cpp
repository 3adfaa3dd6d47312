#include "host/report/results/candidate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/describe/finding_story.hpp"
#include "host/report/document/findings.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/harm_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kShown = 10;

FindingLevel level_of(const CandidateTally& pursued) {
  if (!pursued.confirmation.confirmed) return FindingLevel::kCandidate;
  if (pursued.failing > 0) return FindingLevel::kFailing;
  return rests_on_inference(pursued.confirmation.finding) ? FindingLevel::kSeen
                                                          : FindingLevel::kConfirmed;
}

// In the words of the execution that showed it, if one did.
const Finding& finding_of(const CandidateTally& pursued) {
  const bool predicted = !pursued.confirmation.confirmed && pursued.candidate;
  return predicted ? pursued.candidate->finding : pursued.confirmation.finding;
}

std::string key_of(const CandidateTally& pursued) {
  return fmt::format("{:016x}", pursued.candidate ? pursued.candidate->key : 0);
}

std::size_t confirmed(const FuzzResult& result) {
  return static_cast<std::size_t>(
      std::count_if(result.pursued.begin(), result.pursued.end(),
                    [](const CandidateTally& p) { return p.confirmation.confirmed; }));
}

double rate(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string line_of(const CandidateTally& pursued, const TextOptions& look) {
  std::string text = fmt::format(
      "   {:<9}  {:>5.1f} % of {}", finding_level_text(level_of(pursued)),
      100 * rate(pursued.realised, pursued.executions), counted(pursued.executions, "execution"));
  if (pursued.failing > 0) text += fmt::format(", {} failed", grouped(pursued.failing));
  if (pursued.realised > 0 && !pursued.confirmation.confirmed)
    text += fmt::format(" ({})", pursued.confirmation.why_not);
  text += '\n';
  const std::string& what = finding_of(pursued).what;
  const auto width = static_cast<std::size_t>(look.width);
  if (!what.empty()) text += paragraph(what, width, 14);
  const std::string inference = inference_words(pursued.confirmation.story);
  if (!inference.empty()) text += paragraph("Rests on: " + inference, width, 14);
  return text;
}

}  // namespace

std::string pursued_text(const FuzzResult& result, const TextOptions& look) {
  if (!result.pursues && result.pursued.empty()) return {};
  if (result.pursues && result.pursued.empty()) {
    return "\nThe profile shows no candidate that this strategy could bring about. Memory "
           "accesses\n"
           "are seen only in programs built with raddle-c++.\n";
  }
  std::vector<const CandidateTally*> order;
  order.reserve(result.pursued.size());
  for (const CandidateTally& pursued : result.pursued) order.push_back(&pursued);
  std::stable_sort(
      order.begin(), order.end(),
      [](const CandidateTally* a, const CandidateTally* b) { return level_of(*a) > level_of(*b); });
  std::string text =
      result.pursues ? fmt::format("\n{}, {} confirmed; brought about in\n",
                                   counted(result.pursued.size(), "candidate"), confirmed(result))
                     : std::string("\nAtomicity violations brought about in\n");
  for (std::size_t i = 0; i < order.size() && i < kShown; ++i) text += line_of(*order[i], look);
  if (order.size() > kShown)
    text += fmt::format("   and {} more (--json has them all)\n", order.size() - kShown);
  return text;
}

nlohmann::ordered_json pursued_json(const FuzzResult& result) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CandidateTally& pursued : result.pursued) {
    const Finding& finding = finding_of(pursued);
    list.push_back({{"level", finding_level_text(level_of(pursued))},
                    {"kind", finding_kind_text(pursued.sought.kind)},
                    {"pattern", pursued.sought.pattern},
                    {"what", finding.what},
                    {"object", finding.object},
                    {"key", key_of(pursued)},
                    {"executions", pursued.executions},
                    {"realised", pursued.realised},
                    {"failing", pursued.failing},
                    {"looked", pursued.looked},
                    {"seen", pursued.seen},
                    {"first_seed", pursued.first_seed},
                    {"why_not", pursued.confirmation.why_not},
                    {"inference", inference_words(pursued.confirmation.story)}});
  }
  return {{"candidates", result.pursued.size()},
          {"confirmed", confirmed(result)},
          {"observed", result.observed},
          {"pursued", std::move(list)}};
}

std::vector<DocumentFinding> pursued_findings(const FuzzResult& result) {
  std::vector<DocumentFinding> findings;
  for (const CandidateTally& pursued : result.pursued) {
    DocumentFinding finding;
    if (pursued.confirmation.confirmed) finding = raddle::finding_of(pursued.confirmation.story);
    finding.level = level_of(pursued);
    finding.kind = finding_kind_text(pursued.sought.kind);
    finding.message = finding_of(pursued).what;
    finding.object = finding_of(pursued).object;
    finding.id = key_of(pursued);
    finding.count = pursued.realised;
    finding.of = pursued.executions;
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace raddle
