#include "host/campaign/fuzz/pursuit.hpp"

#include <string_view>
#include <utility>

#include "host/process/outcome.hpp"

namespace raddle {
namespace {

// Executions that a profile for candidates has: a short program may do the same in the first few.
constexpr unsigned kLeastProfile = 10;

}  // namespace

Pursuit::Pursuit(const FuzzOptions& options) : options_(options) {
  const std::string_view strategy = options.plan.strategy;
  confirms_ = strategy == "race" || strategy == "deadlock" || strategy == "asset";
  if (strategy != "atom" && options.observe != "atom") return;
  pursued_.push_back({.candidate = atom_candidate()});
}

Result<TargetList> Pursuit::profile(Worker& worker) {
  const Plan& plan = options_.plan;
  TargetList racing = options_.targets;
  const bool observes = !confirms_ && !options_.observe.empty() && options_.observe != "atom";
  const ProfileOptions profiling{.plan = plan,
                                 .first_seed = options_.first_seed,
                                 .at_least = confirms_ || observes ? kLeastProfile : 0,
                                 .timeout = options_.timeout,
                                 .stop = options_.stop};
  if (confirms_ || observes) {
    pursued_.clear();
    Candidates candidates(worker.maps(), kinds_for(confirms_ ? plan.strategy : options_.observe));
    const Result<unsigned> executions = raddle::profile(worker, profiling, candidates);
    if (!executions) return Error{executions.error()};
    if (plan.decide == DecideKind::kRaces && !racing) racing = candidates.targets();
    for (const Candidate& candidate : candidates.list()) {
      pursued_.push_back({.candidate = candidate});
      if (confirms_) targets_.push_back(targets_for(candidate, racing));
    }
  } else if (plan.decide == DecideKind::kRaces && !racing) {
    Result<TargetList> found = find_racing_sites(worker, profiling);
    if (!found) return Error{found.error()};
    racing = *found;
  }
  // Whoever only observes has all of them in view in every execution.
  const bool in_view = options_.observe.empty() || options_.observe == plan.strategy;
  if (!pursued_.empty() && in_view) sharing_.emplace(pursued_.size());
  return racing;
}

std::size_t Pursuit::number_of(std::uint64_t seed) const {
  const std::lock_guard lock(mutex_);
  return sharing_ ? sharing_->candidate_of(seed - options_.first_seed) : 0;
}

bool Pursuit::may_start(std::uint64_t execution) const {
  const std::lock_guard lock(mutex_);
  return !sharing_ || execution < sharing_->may_ask();
}

void Pursuit::prepare(Plan& plan, RunOptions& options) const {
  if (pursued_.empty()) return;
  options.keep_log = true;  // for look()
  if (targets_.empty()) return;
  const std::size_t number = number_of(plan.seed);
  options.targets = targets_[number];
  plan.pattern = static_cast<std::uint8_t>(pursued_[number].candidate.pattern);
}

Result<Pursuit::Look> Pursuit::look(Worker& worker, const Execution& execution,
                                    const RunOptions& options) const {
  Look look;
  if (pursued_.empty()) return look;
  if (!sharing_) {
    std::vector<const Candidate*> candidates;
    candidates.reserve(pursued_.size());
    for (const Pursued& pursued : pursued_) candidates.push_back(&pursued.candidate);
    Result<std::vector<std::uint32_t>> seen = seen_in(worker, candidates, execution, options);
    if (!seen) return Error{seen.error()};
    look.looked = true;
    look.seen = std::move(*seen);
    return look;
  }
  const std::size_t number = number_of(execution.plan.seed);
  if (options_.observe.empty()) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t index = execution.plan.seed - options_.first_seed;
    if (execution.realised.count == 0 || !sharing_->wants_look(index)) return look;
  }
  Result<Confirmation> confirmation =
      confirm_candidate(worker, pursued_[number].candidate, execution, options);
  if (!confirmation) return Error{confirmation.error()};
  look.looked = true;
  look.confirmation = std::move(*confirmation);
  if (look.confirmation.confirmed) look.seen.push_back(static_cast<std::uint32_t>(number));
  return look;
}

void Pursuit::count(const Execution& execution, Look look) {
  if (pursued_.empty()) return;
  if (!look.seen.empty()) ++observed_;
  for (const std::uint32_t number : look.seen) ++pursued_[number].seen;
  if (!sharing_) {
    for (Pursued& pursued : pursued_) {
      ++pursued.executions;
      if (look.looked) ++pursued.looked;
    }
    return;
  }
  Pursued& pursued = pursued_[number_of(execution.plan.seed)];
  ++pursued.executions;
  if (look.looked) ++pursued.looked;
  const bool realised = execution.realised.count != 0;
  {
    const std::lock_guard lock(mutex_);
    sharing_->ended(execution.plan.seed - options_.first_seed, realised, !look.seen.empty());
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
