// Which plan an index of a suite's search means: a pure function, so that items can be cut anywhere
// and executed anywhere.
#pragma once

#include <cstdint>

#include "host/campaign/suite/item.hpp"
#include "protocol/plan.hpp"
#include "protocol/strategies.hpp"

namespace raddle {

// Strategies take turns, as in a hunt; all else that their distribution depends on is fixed by the
// profile, so that the executions of one strategy are draws of one distribution.
inline const StrategyEntry& search_strategy(std::uint64_t index) {
  return strategy_at(&StrategyEntry::in_suites, static_cast<std::size_t>(index));
}
inline std::uint64_t strategies_in_turn() { return count_in(&StrategyEntry::in_suites); }

// `base` has what the user chose; strategy, seed, length and decision points are set here.
Plan search_plan(const Plan& base, const Item& item, std::uint64_t index);
// The try of that number for the item's candidate.
Plan candidate_plan(const Plan& base, const Item& item, std::uint64_t number);

}  // namespace raddle
