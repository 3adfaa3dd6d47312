#include "runtime/strategy/table.hpp"

#include <cstring>

namespace raddle {

Strategy* make_random(const Plan&, Allocate);
Strategy* make_pct(const Plan&, Allocate);
Strategy* make_pos(const Plan&, Allocate);
Strategy* make_round_robin(const Plan&, Allocate);
Strategy* make_non_preemptive(const Plan&, Allocate);
Strategy* make_systematic(const Plan&, Allocate);
Strategy* make_atom(const Plan&, Allocate);
Strategy* make_race(const Plan&, Allocate);
Strategy* make_deadlock(const Plan&, Allocate);
Strategy* make_asset(const Plan&, Allocate);

namespace {

constexpr StrategyEntry kStrategies[] = {
    {"random", "every enabled thread equally likely at every step", make_random},
    {"pct", "random priorities with --depth - 1 changes (probabilistic concurrency testing)",
     make_pct},
    {"pos", "random priorities renewed on conflict (partial order sampling)", make_pos},
    {"round-robin", "each enabled thread in turn; the seed is the number of steps of a turn",
     make_round_robin},
    {"non-preemptive", "each thread runs until it waits; the seed has no influence",
     make_non_preemptive},
    {"systematic",
     "no preemption: a thread runs until it waits or gives way (as in raddle explore)",
     make_systematic},
    {"atom", "holds a thread back in an atomic block until another takes its lock (AtomFuzzer)",
     make_atom},
    {"race", "brings two accesses that may race next to each other (RaceFuzzer)", make_race, true},
    {"deadlock", "holds threads back until a cycle of locks has closed", make_deadlock, true},
    {"asset", "interleaves two units of work on one atomic set (AssetFuzzer)", make_asset, true},
};

}  // namespace

std::span<const StrategyEntry> strategies() { return kStrategies; }

const StrategyEntry* find_strategy(const char* name) {
  for (const StrategyEntry& entry : kStrategies) {
    if (std::strcmp(entry.name, name) == 0) return &entry;
  }
  return nullptr;
}

}  // namespace raddle
