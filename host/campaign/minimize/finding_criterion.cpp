#include "host/campaign/minimize/finding_criterion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "host/campaign/confirm/confirm.hpp"

namespace raddle {
namespace {

constexpr std::string_view kPrefix = "confirmed | ";
constexpr std::string_view kBetween = " | ";
constexpr std::uint64_t kMostPattern = 14;
constexpr std::size_t kStepsOfViolation = 3;

// What follows the kind; nothing if the group is of another kind, or if it is none.
std::vector<std::uint64_t> numbers_of(const std::string& group, FindingKind kind) {
  const std::string prefix = fmt::format("{}{}{}", kPrefix, finding_kind_text(kind), kBetween);
  if (!group.starts_with(prefix)) return {};
  std::string_view rest = std::string_view(group).substr(prefix.size());
  std::vector<std::uint64_t> numbers;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(kBetween), rest.size());
    std::uint64_t number = 0;
    const auto [at, error] = std::from_chars(rest.data(), rest.data() + end, number, 16);
    if (error != std::errc() || at != rest.data() + end) return {};
    numbers.push_back(number);
    rest.remove_prefix(std::min(end + kBetween.size(), rest.size()));
  }
  return numbers;
}

}  // namespace

EventSink* FindingCriterion::listen() {
  pipeline_ = confirming_pipeline(candidate_, Execution{});
  pipeline_->begin({});
  return pipeline_.get();
}

bool FindingCriterion::has(const Execution& execution) {
  if (execution.kind == OutcomeKind::kDiverged || !pipeline_) return false;
  pipeline_->end({});
  return confirmed_in(*pipeline_, candidate_) != nullptr;
}

std::string confirmed_group(const Candidate& candidate, const Finding& finding) {
  if (candidate.kind == FindingKind::atomicity && finding.steps.size() == kStepsOfViolation) {
    std::string group = fmt::format("{}{}", kPrefix, finding_kind_text(candidate.kind));
    for (const FindingStep& step : finding.steps) {
      group += fmt::format("{}{:x}", kBetween, step.event.step);
    }
    return group;
  }
  if (candidate.kind != FindingKind::race && candidate.kind != FindingKind::atomic_set) return {};
  std::string group = fmt::format("{}{} | {:016x} | {}", kPrefix, finding_kind_text(candidate.kind),
                                  finding.place, fmt::format("{:x}", candidate.pattern));
  for (const std::uint64_t place : candidate.places) group += fmt::format(" | {:016x}", place);
  return group;
}

bool parse_confirmed_group(const std::string& group, Candidate* candidate) {
  for (const FindingKind kind : {FindingKind::race, FindingKind::atomic_set}) {
    const std::vector<std::uint64_t> numbers = numbers_of(group, kind);  // place, pattern, places
    if (numbers.size() < 2 || numbers[1] > kMostPattern) continue;
    candidate->kind = kind;
    candidate->finding.kind = kind;
    candidate->finding.place = numbers[0];
    candidate->pattern = static_cast<int>(numbers[1]);
    candidate->places.assign(numbers.begin() + 2, numbers.end());
    return true;
  }
  return false;
}

std::optional<FindingStory> confirmed_story(const std::string& group, const Plan& plan,
                                            const KeptTrace& trace) {
  Candidate candidate = atom_candidate();
  Execution execution;
  execution.plan = plan;
  if (!parse_confirmed_group(group, &candidate)) {
    const std::vector<std::uint64_t> steps = numbers_of(group, FindingKind::atomicity);
    if (steps.size() != kStepsOfViolation) return std::nullopt;
    // The steps are known here, whoever could see the block.
    execution.plan.atomic_blocks = kBlocksFrames;
    execution.realised.used = kStepsOfViolation;
    std::copy(steps.begin(), steps.end(), execution.realised.steps);
  }
  const std::unique_ptr<Pipeline> pipeline = confirming_pipeline(candidate, execution);
  pipeline->begin({});
  trace.tell(*pipeline, [](std::size_t) {});
  pipeline->end({});
  const Finding* seen = confirmed_in(*pipeline, candidate);
  if (seen == nullptr) return std::nullopt;
  Finding told = *seen;
  told.level = FindingLevel::kConfirmed;
  SourceLines sources;
  return describe(told, pipeline->names(), sources);
}

}  // namespace raddle
