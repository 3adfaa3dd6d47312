// The strategies by name. Adding one is one file and one line in table.cpp.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/strategy/strategy.hpp"

namespace raddle {

// Gives memory that lives as long as the execution, zero-filled; never fails (it ends the process).
using Allocate = void* (*)(std::size_t bytes);

struct StrategyEntry {
  const char* name;
  const char* summary;  // one line for --help
  Strategy* (*make)(const Plan& plan, Allocate allocate);
  bool confirms = false;  // brings about a candidate, which the plan's targets name
};

std::span<const StrategyEntry> strategies();

// Null when there is no such strategy.
const StrategyEntry* find_strategy(const char* name);

}  // namespace raddle
