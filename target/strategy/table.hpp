// Makes a strategy from its entry in protocol/strategies.hpp. The scheduler calls it once per
// execution.
#pragma once

#include <cstddef>

#include "protocol/strategies.hpp"
#include "target/strategy/strategy.hpp"

namespace raddle {

// Returns zero-filled memory that lives as long as the execution. Never fails: without memory it
// ends the process.
using Allocate = void* (*)(std::size_t bytes);

// `entry` is an element of strategies(), not a copy of one.
Strategy* make_strategy(const StrategyEntry& entry, const Plan& plan, Allocate allocate);

}  // namespace raddle
