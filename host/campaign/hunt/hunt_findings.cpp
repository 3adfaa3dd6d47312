#include "host/campaign/hunt/hunt_findings.hpp"

#include <algorithm>
#include <utility>

#include "host/campaign/hunt/circumstances.hpp"
#include "host/describe/explain/orders/too_early.hpp"
#include "host/process/outcome.hpp"

namespace raddle {

HuntFinding predicted_finding(const Candidate& candidate, std::span<const KnownCandidate> known) {
  HuntFinding one;
  one.key = candidate.key;
  one.finding = candidate.finding;
  one.candidate = candidate;
  const auto same = std::find_if(known.begin(), known.end(), [&](const KnownCandidate& other) {
    return other.key == candidate.key;
  });
  // What was confirmed is confirmed again: its execution is part of what is shown.
  if (same != known.end() && same->level == FindingLevel::kCandidate) one.tried = same->tried;
  return one;
}

HuntFinding& met_finding(std::vector<HuntFinding>& findings, const Finding& finding) {
  const auto same = std::find_if(findings.begin(), findings.end(), [&](const HuntFinding& one) {
    return one.finding.place == finding.place && one.level != FindingLevel::kCandidate;
  });
  if (same != findings.end()) return *same;
  HuntFinding one;
  one.key = finding.place;
  one.finding = finding;
  return findings.emplace_back(std::move(one));
}

namespace {

FindingLevel level_of(const Finding& finding, const Harm& harm, OutcomeKind kind) {
  if (is_failing(kind)) return FindingLevel::kFailing;
  if (!rests_on_inference(finding)) return FindingLevel::kConfirmed;
  return harm.found ? FindingLevel::kHarmful : FindingLevel::kSeen;
}

}  // namespace

bool wants_look(const HuntFinding& one, bool fails) {
  switch (one.level) {
    case FindingLevel::kCandidate:
      return true;
    case FindingLevel::kSeen:
      return fails || one.looks < kMostHarmLooks;
    case FindingLevel::kHarmful:
    case FindingLevel::kConfirmed:
      return fails;
    case FindingLevel::kFailing:
      return false;
  }
  return false;
}

void raise_level(HuntFinding& one, const Confirmation& confirmation, const Harm& harm,
                 Execution execution, const std::string& group) {
  ++one.looks;
  const FindingLevel level = level_of(confirmation.finding, harm, execution.kind);
  if (level <= one.level) return;
  one.level = level;
  one.finding = confirmation.finding;
  one.finding.level = level;
  one.story = confirmation.story;
  one.story.level = level;
  one.story.harm = harm;
  one.execution = std::move(execution);
  one.group = group;
}

bool comes_first(const HuntFinding& a, const HuntFinding& b) {
  if (a.level != b.level) return a.level > b.level;
  const int rank_a = entry_of(a.finding.kind).rank;
  const int rank_b = entry_of(b.finding.kind).rank;
  return rank_a != rank_b ? rank_a < rank_b : a.execution.preemptions < b.execution.preemptions;
}

bool is_simpler(const HuntFailure& a, const HuntFailure& b) {
  const auto rank = [](const HuntFailure& one) {
    const auto preemptions =
        one.minimized ? one.after.preemptions : one.group.execution.preemptions;
    const Explanation& explanation = one.group.explanation;
    const bool facts = is_weak(explanation) || explanation.cause == Cause::kReadTooLate;
    return std::pair(facts, preemptions);
  };
  return rank(a) < rank(b);
}

bool is_rare(const HuntFailure& failure) { return burden_of(failure.needs) == Burden::kRare; }

}  // namespace raddle
