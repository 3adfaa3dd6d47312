#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr StrategyEntry kStrategies[] = {
#define RADDLE_STRATEGY_ENTRY(identifier, ...) {__VA_ARGS__},
    RADDLE_STRATEGIES(RADDLE_STRATEGY_ENTRY)
#undef RADDLE_STRATEGY_ENTRY
};

}  // namespace

std::span<const StrategyEntry> strategies() { return kStrategies; }

const StrategyEntry* find_strategy(std::string_view name) {
  for (const StrategyEntry& entry : kStrategies) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

}  // namespace raddle
