#include "host/campaign/fuzz/candidate_tracker.hpp"

#include <utility>

#include "host/process/outcome.hpp"
#include "protocol/strategies.hpp"

namespace raddle {

CandidateTracker::CandidateTracker(const FuzzOptions& options) : options_(options) {
  const StrategyEntry* strategy = strategy_of(options.plan);
  confirms_ = strategy != nullptr && strategy->needs_candidate;
  const bool creates = strategy != nullptr && strategy->confirms == Confirms::kAtomicity;
  if (creates || options.observe == Confirms::kAtomicity)
    created_ = std::make_unique<CreatedViolations>(options.observe == Confirms::kAtomicity);
}

Result<AimList> CandidateTracker::profile(Worker& worker) {
  const Plan& plan = options_.plan;
  AimList racing = options_.aims;
  const bool observes = !confirms_ && options_.observe != Confirms::kNothing &&
                        options_.observe != Confirms::kAtomicity;
  ProfileOptions profiling{.plan = plan,
                           .first_seed = options_.first_seed,
                           .timeout = options_.timeout,
                           .stop = options_.stop};
  if (options_.budget != Clock::duration{})
    profiling.until =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(kProfileShare * options_.budget);
  if (confirms_ || observes) {
    profiling.extent = extent_for_candidates();
    tallies_.clear();
    Candidates candidates(worker.maps(),
                          {.only = confirms_ ? strategy_of(plan)->confirms : options_.observe});
    const Result<unsigned> executions = raddle::profile(worker, profiling, candidates);
    if (!executions) return Error{executions.error()};
    profiled_ = *executions;
    if (plan.decide == DecideKind::kRaces && !racing) racing = candidates.aims();
    for (const Candidate& candidate : candidates.list()) {
      tallies_.push_back({.sought = candidate.sought, .candidate = candidate});
      if (confirms_) aims_.push_back(aims_for(candidate, racing));
    }
  } else if (plan.decide == DecideKind::kRaces && !racing) {
    Result<AimList> found = find_racing_sites(worker, profiling);
    if (!found) return Error{found.error()};
    racing = *found;
  }
  // Whoever only observes has all of them in view in every execution.
  const StrategyEntry* strategy = strategy_of(plan);
  const bool in_view = options_.observe == Confirms::kNothing ||
                       (strategy != nullptr && options_.observe == strategy->confirms);
  if (!tallies_.empty() && in_view) rotation_.emplace(tallies_.size());
  return racing;
}

std::size_t CandidateTracker::number_of(std::uint64_t seed) const {
  const std::lock_guard lock(mutex_);
  return rotation_ ? rotation_->candidate_of(seed - options_.first_seed) : 0;
}

bool CandidateTracker::may_start(std::uint64_t execution) const {
  const std::lock_guard lock(mutex_);
  return !rotation_ || execution < rotation_->may_ask();
}

void CandidateTracker::prepare(Plan& plan, RunOptions& options) const {
  if (tallies_.empty() && !created_) return;
  options.keep_log = true;  // for look()
  if (aims_.empty()) return;
  const std::size_t number = number_of(plan.seed);
  options.aims = aims_[number];
  plan.pattern = static_cast<std::uint8_t>(tallies_[number].sought.pattern);
}

Result<CandidateTracker::Look> CandidateTracker::look(Worker& worker, const Execution& execution,
                                                      const RunOptions& options) const {
  Look look;
  if (created_) {
    Result<CreatedViolations::Look> created = created_->look(worker, execution, options);
    if (!created) return Error{created.error()};
    look.created = std::move(*created);
    return look;
  }
  if (tallies_.empty()) return look;
  if (!rotation_) {
    std::vector<const SoughtFinding*> sought;
    sought.reserve(tallies_.size());
    for (const CandidateTally& pursued : tallies_) sought.push_back(&pursued.sought);
    Result<std::vector<std::uint32_t>> seen = seen_in(worker, sought, execution, options);
    if (!seen) return Error{seen.error()};
    look.looked = true;
    look.seen = std::move(*seen);
    return look;
  }
  const std::size_t number = number_of(execution.plan.seed);
  if (options_.observe == Confirms::kNothing) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t index = execution.plan.seed - options_.first_seed;
    if (execution.realised.count == 0 || !rotation_->wants_look(index)) return look;
  }
  Result<Confirmation> confirmation =
      confirm_candidate(worker, *tallies_[number].candidate, execution, options);
  if (!confirmation) return Error{confirmation.error()};
  look.looked = true;
  look.confirmation = std::move(*confirmation);
  if (look.confirmation.confirmed) look.seen.push_back(static_cast<std::uint32_t>(number));
  return look;
}

void CandidateTracker::count(const Execution& execution, Look look) {
  if (created_) return created_->count(execution, std::move(look.created));
  if (tallies_.empty()) return;
  if (!look.seen.empty()) ++observed_;
  for (const std::uint32_t number : look.seen) ++tallies_[number].seen;
  if (!rotation_) {
    for (CandidateTally& pursued : tallies_) {
      ++pursued.executions;
      if (look.looked) ++pursued.looked;
    }
    return;
  }
  CandidateTally& pursued = tallies_[number_of(execution.plan.seed)];
  ++pursued.executions;
  if (look.looked) ++pursued.looked;
  const bool realised = execution.realised.count != 0;
  {
    const std::lock_guard lock(mutex_);
    rotation_->ended(execution.plan.seed - options_.first_seed, realised, !look.seen.empty());
  }
  if (realised && is_failing(execution.kind)) ++pursued.failing;
  if (realised && pursued.realised++ == 0) pursued.first_seed = execution.plan.seed;
  // The first that the detector saw; before there is one, why it did not.
  if (!look.looked || pursued.confirmation.confirmed) return;
  if (!realised && !look.confirmation.confirmed) return;
  if (look.confirmation.confirmed) pursued.first_seed = execution.plan.seed;
  pursued.confirmation = std::move(look.confirmation);
}

}  // namespace raddle
