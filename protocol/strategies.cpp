#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr StrategyEntry kStrategies[] = {
#define RADDLE_STRATEGY_ENTRY(identifier, ...) {__VA_ARGS__},
    RADDLE_STRATEGIES(RADDLE_STRATEGY_ENTRY)
#undef RADDLE_STRATEGY_ENTRY
};

constexpr std::size_t size_of(StrategyOrder order) {
  std::size_t count = 0;
  for (const StrategyEntry& entry : kStrategies) count += entry.*order != 0 ? 1 : 0;
  return count;
}

// Null where an order has a gap.
constexpr const StrategyEntry* at(StrategyOrder order, std::size_t place) {
  for (const StrategyEntry& entry : kStrategies) {
    if (entry.*order == place + 1) return &entry;
  }
  return nullptr;
}

constexpr bool has_no_gap(StrategyOrder order) {
  for (std::size_t i = 0; i < size_of(order); ++i) {
    if (at(order, i) == nullptr) return false;
  }
  return size_of(order) > 0;
}
static_assert(has_no_gap(&StrategyEntry::in_tests));
static_assert(has_no_gap(&StrategyEntry::in_profiles));
static_assert(has_no_gap(&StrategyEntry::in_hunts));
static_assert(has_no_gap(&StrategyEntry::in_suites));

}  // namespace

std::span<const StrategyEntry> strategies() { return kStrategies; }

const StrategyEntry* find_strategy(std::string_view name) {
  for (const StrategyEntry& entry : kStrategies) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

std::size_t count_in(StrategyOrder order) { return size_of(order); }

const StrategyEntry& strategy_at(StrategyOrder order, std::size_t turn) {
  return *at(order, turn % size_of(order));
}

const StrategyEntry* strategy_confirming(Confirms what) {
  for (const StrategyEntry& entry : kStrategies) {
    if (what != Confirms::kNothing && entry.confirms == what) return &entry;
  }
  return nullptr;
}

void set_strategy(Plan& plan, std::string_view name) {
  for (std::size_t i = 0; i < sizeof plan.strategy; ++i) {
    const bool fits = i < name.size() && i + 1 < sizeof plan.strategy;
    plan.strategy[i] = fits ? name[i] : char{};
  }
}

}  // namespace raddle
