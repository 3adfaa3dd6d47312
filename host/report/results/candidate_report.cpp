#include "host/report/results/candidate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/describe/finding_story.hpp"
#include "host/report/document/findings.hpp"
#include "host/report/results/failure_group_report.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/finding_words.hpp"
#include "host/report/words/harm_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kShown = 10;

double rate(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// An execution against the program alone; 0: not known.
double slowdown_of(const FuzzResult& result) {
  const double seconds = result.seconds - result.profile_seconds;
  if (result.native_seconds <= 0 || result.counts.executions == 0) return 0;
  return seconds / static_cast<double>(result.counts.executions) / result.native_seconds;
}

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

// Of a violation that nobody predicted: its place.
std::string key_of(const CandidateTally& pursued) {
  return fmt::format("{:016x}", pursued.candidate ? pursued.candidate->key : pursued.sought.place);
}

// Where a violation of atomicity that was created is: "bank.cpp:31, then bank.cpp:35".
std::string places_of(const CandidateTally& pursued) {
  std::string text;
  for (const StoryStep& step : pursued.confirmation.story.steps) {
    const std::string place = step.place.empty() ? "a place without a name" : step.place;
    const std::string what = finding_step_words(step);
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", step.thread_name, what, place);
  }
  return text;
}

// "3 warnings, 2 errors, 1 bug"
std::string atomicity_line(const FuzzResult& result) {
  const AtomicityCounts& counts = *result.atomicity;
  std::string text = fmt::format(
      "Atomicity violations: {} possible, {} came about, {} with a failure; in {:.1f} % of {}",
      counts.warnings, counts.errors, counts.bugs,
      100 * rate(counts.violating, result.counts.executions),
      counted(result.counts.executions, "execution"));
  if (const double times = slowdown_of(result); times > 0)
    text += fmt::format(", each {:.1f} times as long as without control", times);
  return text;
}

std::size_t confirmed(const FuzzResult& result) {
  return static_cast<std::size_t>(
      std::count_if(result.pursued.begin(), result.pursued.end(),
                    [](const CandidateTally& p) { return p.confirmation.confirmed; }));
}

std::string line_of(const CandidateTally& pursued, bool created, const TextOptions& look) {
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
  if (created && pursued.confirmation.confirmed)
    text += paragraph(
        fmt::format("First with seed {}: {}.", pursued.first_seed, places_of(pursued)), width, 14);
  if (!inference.empty()) text += paragraph("Rests on: " + inference, width, 14);
  if (!pursued.replay_path.empty()) text += replay_lines(pursued.replay_path);
  return text;
}

}  // namespace

namespace {

nlohmann::ordered_json steps_json(const FindingStory& story) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const StoryStep& step : story.steps)
    steps.push_back({{"thread", step.thread_name},
                     {"what", finding_step_words(step)},
                     {"file", step.where.file},
                     {"line", step.where.line},
                     {"function", step.where.function}});
  return steps;
}

// What is not atomic: the function, or the block's name.
std::string block_of(const CandidateTally& pursued) {
  const std::vector<StoryUnit>& units = pursued.confirmation.story.units;
  return units.empty() ? std::string() : units.front().name;
}

// What no execution of the profile had; nothing for strategies that take no candidates from it.
std::string_view lacking(Confirms what) {
  switch (what) {
    case Confirms::kNothing:
    case Confirms::kAtomicity:
      break;
    case Confirms::kRaces:
      return "no two accesses that race";
    case Confirms::kDeadlocks:
      return "no locks that threads take in a cycle";
    case Confirms::kAtomicSets:
      return "no two units of work on one atomic set that could be interleaved";
    case Confirms::kLifetimes:
      return "no block that one thread uses and another frees later, ordered by nothing but "
             "mutexes";
  }
  return {};
}

std::string no_candidate(const FuzzResult& result) {
  std::string text = fmt::format("The profile, {}, shows no candidate for this strategy: {}. ",
                                 counted(result.profiled, "execution"), lacking(*result.pursues));
  if (!result.instrumented && *result.pursues != Confirms::kDeadlocks)
    return text + "Memory accesses are seen only in programs built with raddle-c++.";
  return text + "Another --seed makes another profile; raddle hunt tries all strategies.";
}

}  // namespace

std::string pursued_text(const FuzzResult& result, const TextOptions& look) {
  const bool created = result.atomicity.has_value();
  if (!result.pursues && !created && result.pursued.empty()) return {};
  if (result.pursues && result.pursued.empty())
    return '\n' + paragraph(no_candidate(result), static_cast<std::size_t>(look.width), 0);
  std::vector<const CandidateTally*> order;
  order.reserve(result.pursued.size());
  for (const CandidateTally& pursued : result.pursued) order.push_back(&pursued);
  std::stable_sort(
      order.begin(), order.end(),
      [](const CandidateTally* a, const CandidateTally* b) { return level_of(*a) > level_of(*b); });
  std::string text =
      result.pursues ? fmt::format("\n{}, {} confirmed; brought about in\n",
                                   counted(result.pursued.size(), "candidate"), confirmed(result))
                     : std::string("\n");
  if (created) text += paragraph(atomicity_line(result), static_cast<std::size_t>(look.width), 0);
  for (std::size_t i = 0; i < order.size() && i < kShown; ++i)
    text += line_of(*order[i], created, look);
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
                    {"steps", steps_json(pursued.confirmation.story)},
                    {"block", block_of(pursued)},
                    {"replay", pursued.replay_path},
                    {"why_not", pursued.confirmation.why_not},
                    {"inference", inference_words(pursued.confirmation.story)}});
  }
  nlohmann::ordered_json json = {{"candidates", result.pursued.size()},
                                 {"confirmed", confirmed(result)},
                                 {"profiled", result.profiled},
                                 {"observed", result.observed},
                                 {"pursued", std::move(list)}};
  if (result.atomicity) {
    json["warnings"] = result.atomicity->warnings;
    json["errors"] = result.atomicity->errors;
    json["bugs"] = result.atomicity->bugs;
    json["violating"] = result.atomicity->violating;
    json["native_seconds"] = result.native_seconds;
    json["slowdown"] = slowdown_of(result);
  }
  return json;
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
    finding.replay = pursued.replay_path;
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace raddle
