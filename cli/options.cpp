#include "cli/options.hpp"

#include <cstdio>

namespace raddle {
namespace {

// PCT's guess of an execution's length when nobody measured it.
constexpr std::uint64_t kGuessedLength = 1000;
// This many idle operations of all threads in a row, with nothing else between them.
constexpr std::uint64_t kLivelockSteps = 10'000;

}  // namespace

CarrierKind carrier_of(const std::string& name) {
  return name == "kernel" ? CarrierKind::kKernel : CarrierKind::kFiber;
}

Plan make_plan(const ProgramOptions& options) {
  Plan plan{};
  std::snprintf(plan.strategy, sizeof plan.strategy, "%s", options.strategy.c_str());
  plan.seed = options.seed;
  plan.pct_depth = options.depth;
  plan.pct_steps = options.length != 0 ? options.length : kGuessedLength;
  plan.carrier = carrier_of(options.carrier);
  plan.clock = options.clock == "adversarial" ? ClockKind::kAdversarial : ClockKind::kSteady;
  plan.spurious_wakeups = options.spurious_wakeups;
  plan.max_steps = options.max_steps;
  plan.livelock_steps = kLivelockSteps;
  return plan;
}

}  // namespace raddle
