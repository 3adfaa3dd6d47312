#include "host/cli/options/options.hpp"

#include <cmath>

#include "protocol/strategies.hpp"

namespace raddle {
namespace {

// PCT's guess of an execution's length when nobody measured it.
constexpr std::uint64_t kGuessedLength = 1000;
// This many idle operations of all threads in a row, with nothing else between them.
constexpr std::uint64_t kLivelockSteps = 10'000;

std::uint8_t blocks_of(const std::vector<std::string>& names) {
  std::uint8_t blocks = 0;
  for (const std::string& name : names) {
    if (name == "annotated") blocks |= kBlocksAnnotated;
    if (name == "locks") blocks |= kBlocksLocks;
    if (name == "functions") blocks |= kBlocksFunctions;
    if (name == "frames") blocks |= kBlocksFrames;
  }
  return blocks;
}

}  // namespace

CarrierKind carrier_of(const std::string& name) {
  return name == "kernel" ? CarrierKind::kKernel : CarrierKind::kFiber;
}

Plan make_plan(const ProgramOptions& options) {
  Plan plan{};
  set_strategy(plan, options.strategy);
  plan.seed = options.seed;
  plan.pct_depth = options.depth;
  plan.pct_steps = options.length != 0 ? options.length : kGuessedLength;
  plan.carrier = carrier_of(options.carrier);
  plan.clock = options.clock == "adversarial" ? ClockKind::kAdversarial : ClockKind::kSteady;
  plan.spurious_wakeups = options.spurious_wakeups;
  plan.decide = options.decide == "all"     ? DecideKind::kEvery
                : options.decide == "races" ? DecideKind::kRaces
                                            : DecideKind::kSync;
  const auto uses_blocks = [](const std::string& strategy) {
    const StrategyEntry* entry = find_strategy(strategy);
    return entry != nullptr && entry->uses_blocks;
  };
  if (uses_blocks(options.strategy) || uses_blocks(options.observe))
    plan.atomic_blocks = blocks_of(options.atomic_blocks);
  plan.pause_permille = static_cast<std::uint32_t>(std::lround(options.pause_probability * 1000));
  plan.max_pause = options.max_pause;
  plan.max_steps = options.max_steps;
  plan.livelock_steps = kLivelockSteps;
  return plan;
}

}  // namespace raddle
