#include "campaign/pursuit.hpp"

#include <string_view>
#include <utility>

#include "campaign/outcome.hpp"

namespace raddle {

Pursuit::Pursuit(const FuzzOptions& options) : options_(options) {
  const std::string_view strategy = options.plan.strategy;
  confirms_ = strategy == "race" || strategy == "deadlock" || strategy == "asset";
  if (strategy != "atom") return;
  pursued_.push_back({.candidate = atom_candidate()});
}

Result<TargetList> Pursuit::profile(Worker& worker) {
  const Plan& plan = options_.plan;
  TargetList racing = options_.targets;
  const ProfileOptions profiling{.plan = plan,
                                 .first_seed = options_.first_seed,
                                 .timeout = options_.timeout,
                                 .stop = options_.stop};
  if (confirms_) {
    Candidates candidates(worker.maps(), kinds_for(plan.strategy));
    const Result<unsigned> executions = raddle::profile(worker, profiling, candidates);
    if (!executions) return Error{executions.error()};
    if (plan.decide == DecideKind::kRaces && !racing) racing = candidates.targets();
    for (const Candidate& candidate : candidates.list()) {
      pursued_.push_back({.candidate = candidate});
      targets_.push_back(targets_for(candidate, racing));
    }
  } else if (plan.decide == DecideKind::kRaces && !racing) {
    Result<TargetList> found = find_racing_sites(worker, profiling);
    if (!found) return Error{found.error()};
    racing = *found;
  }
  executions_.resize(pursued_.size());
  return racing;
}

void Pursuit::prepare(Plan& plan, RunOptions& options) const {
  if (pursued_.empty()) return;
  options.keep_log = true;  // for confirm()
  if (targets_.empty()) return;
  const std::size_t number = number_of(plan.seed);
  options.targets = targets_[number];
  plan.pattern = static_cast<std::uint8_t>(pursued_[number].candidate.pattern);
}

void Pursuit::count(Execution& execution) {
  if (pursued_.empty()) return;
  const std::size_t number = number_of(execution.plan.seed);
  Pursued& pursued = pursued_[number];
  ++pursued.executions;
  if (execution.realised.count == 0) return;
  if (is_failing(execution.kind)) ++pursued.failing;
  if (pursued.realised++ != 0) return;
  pursued.first_seed = execution.plan.seed;
  Execution& first = executions_[number];
  first.plan = execution.plan;
  first.targets = execution.targets;
  first.realised = execution.realised;
  first.kind = execution.kind;
  first.log_hash = execution.log_hash;
  first.log = execution.log;
}

Result<bool> Pursuit::confirm(Worker& worker, const RunOptions& options) {
  for (std::size_t i = 0; i < pursued_.size(); ++i) {
    if (pursued_[i].realised == 0) continue;
    Result<Confirmation> confirmation =
        confirm_candidate(worker, pursued_[i].candidate, executions_[i], options);
    if (!confirmation) return Error{confirmation.error()};
    pursued_[i].confirmation = std::move(*confirmation);
  }
  return true;
}

}  // namespace raddle
