#include "host/campaign/confirm/candidates.hpp"

#include <algorithm>
#include <utility>

#include "host/analysis/asset/asset.hpp"
#include "host/analysis/deadlock/deadlock.hpp"
#include "host/analysis/lifetime/lifetime.hpp"
#include "host/analysis/lifetime/possible_uses.hpp"
#include "host/analysis/race/race.hpp"
#include "host/process/aim_places.hpp"

namespace raddle {

SoughtFinding sought_of(const ExecutionState& state, const Finding& finding) {
  SoughtFinding sought{finding.kind, finding.pattern, finding.place, {}};
  sought.places.reserve(finding.steps.size());
  for (const FindingStep& step : finding.steps)
    sought.places.push_back(state.stable(step.event.site));
  return sought;
}

namespace {

// Of a cycle of locks, each thread's second acquisition: that is where it waits.
bool is_second_of_its_thread(const Finding& finding, std::size_t at) {
  const auto begin = finding.steps.begin();
  return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(at), [&](const FindingStep& one) {
    return one.event.thread == finding.steps[at].event.thread;
  });
}

}  // namespace

AimList aims_for(const Candidate& candidate, const AimList& racing) {
  std::vector<PlanAim> aims = candidate.steps;
  if (racing) aims.insert(aims.end(), racing->begin(), racing->end());
  return std::make_shared<const std::vector<PlanAim>>(std::move(aims));
}

void Candidates::add_detectors(Pipeline& pipeline) {
  if (wants(Confirms::kRaces)) {
    pipeline.add(make_race_detector(pipeline.state(), AnalysisOptions{}));
    pipeline.add(make_lifetime_detector(pipeline.state(), AnalysisOptions{}));
  }
  if (wants(Confirms::kDeadlocks))
    pipeline.add(make_deadlock_detector(pipeline.state(), AnalysisOptions{}));
  possible_ = nullptr;
  if (wants(Confirms::kLifetimes)) {
    auto possible = std::make_unique<PossibleUses>(pipeline.state());
    possible_ = possible.get();
    pipeline.add(std::move(possible));
  }
  asset_ = nullptr;
  if (!wants(Confirms::kAtomicSets)) return;
  auto asset =
      std::make_unique<AssetDetector>(pipeline.state(), AssetOptions{.joint = options_.joint});
  asset_ = asset.get();
  pipeline.add(std::move(asset));
}

bool Candidates::add(Candidate candidate) {
  if (!keys_.insert(candidate.key).second) return false;
  list_.push_back(std::move(candidate));
  return true;
}

PlanAim Candidates::step_at(const ExecutionState& state, const FindingStep& step,
                            std::size_t number) const {
  PlanAim target = aim_at(state.site(step.event.site).code, maps());
  target.role = AimRole::kStep;
  target.thread = target.order = static_cast<std::uint8_t>(number);
  return target;
}

bool Candidates::add_finding(const ExecutionState& state, const Finding& finding) {
  Candidate candidate;
  candidate.sought = sought_of(state, finding);
  candidate.key = finding.place;
  candidate.finding = finding;
  for (std::size_t i = 0; i < finding.steps.size(); ++i) {
    if (finding.kind == FindingKind::lock_order && !is_second_of_its_thread(finding, i)) continue;
    if (state.site(finding.steps[i].event.site).code == 0) return false;  // not known by address
    candidate.steps.push_back(step_at(state, finding.steps[i], candidate.steps.size()));
  }
  return add(std::move(candidate));
}

// Whether there are more in the list: for those that are not in it no profile goes on.
bool Candidates::add_uses(const ExecutionState& state) {
  bool grew = false;
  const std::vector<Finding> predicted = possible_->predicted();
  std::size_t number = 0;
  for (const PossibleUse& use : possible_->uses()) {
    const Finding& finding = predicted[number++];
    if (!wants(finding, state)) continue;
    Candidate candidate;
    candidate.sought = sought_of(state, finding);
    candidate.finding = finding;
    candidate.key =
        mix(mix(finding.place, state.stable(use.use_locks)), state.stable(use.free_locks));
    bool known = true;
    const auto aim = [&](SiteId site, AimRole role, std::uint8_t thread) {
      const std::uint64_t code = state.site(site).code;
      known = known && code != 0;
      PlanAim target = aim_at(code, maps());
      target.role = role;
      target.thread = target.order = thread;
      target.location = kWindowAcquire;
      candidate.steps.push_back(std::move(target));
    };
    aim(use.use, AimRole::kStep, 0);
    aim(use.free, AimRole::kStep, 1);
    if (use.use_locks != kNoSite) aim(use.use_locks, AimRole::kWindow, 0);
    if (use.free_locks != kNoSite) aim(use.free_locks, AimRole::kWindow, 1);
    if (!known || !keys_.insert(candidate.key).second) continue;
    grew = grew || options_.only.has_value();
    (options_.only ? list_ : uses_).push_back(std::move(candidate));
  }
  return grew;
}

std::vector<Candidate> Candidates::uses() const {
  std::vector<Candidate> sorted = uses_;
  const auto is_far = [](const Candidate& one) {
    return std::any_of(one.steps.begin(), one.steps.end(), [](const PlanAim& aim) {
      return aim.role == AimRole::kWindow && aim.thread == 0;
    });
  };
  std::stable_partition(sorted.begin(), sorted.end(),
                        [&](const Candidate& one) { return !is_far(one); });
  return sorted;
}

bool Candidates::look(const Pipeline& pipeline) {
  bool grew = false;
  for (const Finding& finding : pipeline.findings()) {
    const Confirms by = entry_of(finding.kind).confirmed_by;
    const bool by_its_steps = by == Confirms::kRaces || by == Confirms::kDeadlocks;
    if (by_its_steps && wants(by) && wants(finding, pipeline.state()))
      grew |= add_finding(pipeline.state(), finding);
  }
  if (possible_ != nullptr) grew |= add_uses(pipeline.state());
  if (asset_ == nullptr) return grew;
  for (const AssetCandidate& found : asset_->candidates()) {
    if (!wants(found.finding, pipeline.state())) continue;
    Candidate candidate;
    candidate.sought = sought_of(pipeline.state(), found.finding);
    candidate.sought.pattern = found.pattern;
    candidate.key = found.key;
    candidate.finding = found.finding;
    bool known = true;
    for (const AimSite& site : found.aims) {
      known = known && site.site != 0;
      PlanAim target = aim_at(site.site, maps());
      target.context = site.context;
      target.role = site.role;
      target.thread = site.thread;
      target.order = site.order;
      target.location = site.location;
      candidate.steps.push_back(std::move(target));
    }
    if (known) grew |= add(std::move(candidate));
  }
  return grew;
}

}  // namespace raddle
