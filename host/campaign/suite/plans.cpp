#include "host/campaign/suite/plans.hpp"

#include "host/analysis/model/finding.hpp"

namespace raddle {
namespace {

Plan plan_of(const Plan& base, const Item& item, const StrategyEntry& strategy,
             std::uint64_t number) {
  Plan plan = base;
  set_strategy(plan, strategy.name);
  plan.seed = item.first_seed + number;
  plan.pct_steps = item.profile.length;
  if (!strategy.uses_blocks) plan.atomic_blocks = 0;
  return plan;
}

}  // namespace

Plan search_plan(const Plan& base, const Item& item, std::uint64_t index) {
  Plan plan = plan_of(base, item, search_strategy(index), index);
  // An unmodified program does not say what it does between two operations. So every other round
  // has more places to switch at.
  if (!item.profile.instrumented && index / strategies_in_turn() % 2 == 1)
    plan.decide = DecideKind::kEvery;
  return plan;
}

Plan candidate_plan(const Plan& base, const Item& item, std::uint64_t number) {
  const std::optional<FindingKind> kind = find_finding_kind(item.candidate.kind);
  const StrategyEntry* strategy =
      kind ? strategy_confirming(entry_of(*kind).confirmed_by) : nullptr;
  Plan plan = plan_of(base, item, strategy == nullptr ? search_strategy(0) : *strategy, number);
  plan.pattern = static_cast<std::uint8_t>(item.candidate.pattern);
  return plan;
}

}  // namespace raddle
