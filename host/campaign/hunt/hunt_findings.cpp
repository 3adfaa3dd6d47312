#include "host/campaign/hunt/hunt_findings.hpp"

#include <algorithm>
#include <utility>

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

HuntFinding& met_finding(std::vector<HuntFinding>& findings, const Finding& finding,
                         std::uint64_t tried) {
  const auto same = std::find_if(findings.begin(), findings.end(), [&](const HuntFinding& one) {
    return one.finding.place == finding.place && one.level != FindingLevel::kCandidate;
  });
  if (same != findings.end()) return *same;
  HuntFinding one;
  one.key = finding.place;
  one.finding = finding;
  one.tried = tried;
  return findings.emplace_back(std::move(one));
}

void raise_level(HuntFinding& one, const Confirmation& confirmation, Execution execution,
                 const std::string& group) {
  const FindingLevel level =
      is_failing(execution.kind) ? FindingLevel::kFailing : FindingLevel::kConfirmed;
  if (level <= one.level) return;
  one.level = level;
  one.finding = confirmation.finding;
  one.finding.level = level;
  one.story = confirmation.story;
  one.story.level = level;
  one.execution = std::move(execution);
  one.group = group;
}

bool comes_first(const HuntFinding& a, const HuntFinding& b) {
  if (a.level != b.level) return a.level > b.level;
  return entry_of(a.finding.kind).rank < entry_of(b.finding.kind).rank;
}

}  // namespace raddle
