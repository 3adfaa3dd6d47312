// Makes the strategies of protocol/strategies.hpp.
#pragma once

#include <cstddef>

#include "protocol/strategies.hpp"
#include "target/strategy/strategy.hpp"

namespace raddle {

// Gives memory that lives as long as the execution, zero-filled; never fails (it ends the process).
using Allocate = void* (*)(std::size_t bytes);

// `entry` is one of strategies().
Strategy* make_strategy(const StrategyEntry& entry, const Plan& plan, Allocate allocate);

}  // namespace raddle
