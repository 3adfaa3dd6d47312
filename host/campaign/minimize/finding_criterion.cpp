#include "host/campaign/minimize/finding_criterion.hpp"

#include <algorithm>
#include <utility>

namespace raddle {

EventSink* FindingCriterion::listen() {
  pipeline_ = confirming_pipeline(sought_, Execution{});
  pipeline_->begin({});
  return pipeline_.get();
}

bool FindingCriterion::has(const Execution& execution) {
  if (execution.kind == OutcomeKind::kDiverged || !pipeline_) return false;
  pipeline_->end({});
  return confirmed_in(*pipeline_, sought_) != nullptr;
}

ConfirmedGroup confirmed_group(const Finding& finding, const Candidate* candidate) {
  ConfirmedGroup group{.what = entry_of(finding.kind).confirmed_by};
  if (candidate == nullptr) {
    for (const FindingStep& step : finding.steps) group.steps.push_back(Step{step.event.step});
    return group;
  }
  group.place = finding.place;
  group.pattern = candidate->sought.pattern;
  group.places = candidate->sought.places;
  return group;
}

std::optional<SoughtFinding> sought_in(const ConfirmedGroup& group) {
  if (group.what == Confirms::kNothing || group.what == Confirms::kAtomicity) return std::nullopt;
  for (std::size_t i = 0; i < finding_kinds().size(); ++i) {
    const auto kind = static_cast<FindingKind>(i);
    if (entry_of(kind).confirmed_by == group.what)
      return SoughtFinding{kind, group.pattern, group.place, group.places};
  }
  return std::nullopt;
}

std::optional<Confirmation> confirmed_by_trace(const ConfirmedGroup& group, const Plan& plan,
                                               const KeptTrace& trace,
                                               std::vector<std::string> unseen) {
  if (group.what == Confirms::kNothing) return std::nullopt;
  const SoughtFinding sought = sought_in(group).value_or(any_violation());
  Execution execution;
  execution.plan = plan;
  if (group.what == Confirms::kAtomicity) {
    if (group.steps.size() > kMaxRealised) return std::nullopt;
    // The steps are known here, whoever could see the block.
    execution.plan.atomic_blocks = kBlocksFrames;
    execution.realised.used = static_cast<std::uint32_t>(group.steps.size());
    std::transform(group.steps.begin(), group.steps.end(), execution.realised.steps,
                   [](Step step) { return raw(step); });
  }
  const std::unique_ptr<Pipeline> pipeline = confirming_pipeline(sought, execution);
  TraceHeader header;
  header.unseen = std::move(unseen);
  pipeline->begin(header);
  trace.tell(*pipeline, [](std::size_t) {});
  pipeline->end({});
  const Finding* seen = confirmed_in(*pipeline, sought);
  if (seen == nullptr) return std::nullopt;
  Confirmation told;
  told.confirmed = true;
  told.finding = *seen;
  told.finding.level = rests_on_inference(*seen) ? FindingLevel::kSeen : FindingLevel::kConfirmed;
  StorySources sources;
  told.story = describe(told.finding, pipeline->names(), sources);
  return told;
}

}  // namespace raddle
