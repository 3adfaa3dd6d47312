#include "target/strategy/table.hpp"

namespace raddle {

#define RADDLE_DECLARE_STRATEGY(identifier, ...) Strategy* make_##identifier(const Plan&, Allocate);
RADDLE_STRATEGIES(RADDLE_DECLARE_STRATEGY)
#undef RADDLE_DECLARE_STRATEGY

namespace {

using Make = Strategy* (*)(const Plan&, Allocate);

constexpr Make kMakers[] = {
#define RADDLE_STRATEGY_MAKER(identifier, ...) make_##identifier,
    RADDLE_STRATEGIES(RADDLE_STRATEGY_MAKER)
#undef RADDLE_STRATEGY_MAKER
};

}  // namespace

Strategy* make_strategy(const StrategyEntry& entry, const Plan& plan, Allocate allocate) {
  return kMakers[&entry - strategies().data()](plan, allocate);
}

}  // namespace raddle
