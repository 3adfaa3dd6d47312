// The strategies by name, and what the rest may ask of one. The code of a strategy is in
// target/strategy/; the tool knows this table and nothing else of it. A new strategy is one file
// there and one line here: whoever wants to know what a strategy can do asks its entry, never its
// name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/plan.hpp"

namespace raddle {

// What a strategy brings about on purpose.
enum class Confirms : std::uint8_t {
  kNothing,
  kAtomicity,
  kRaces,
  kDeadlocks,
  kAtomicSets,
  kLifetimes
};

// What a strategy wants to be told of earlier executions, by aims (protocol/aim.hpp).
enum class Learns : std::uint8_t {
  kNothing,
  kWork,       // how many events each thread has: AimRole::kSelected, kWork
  kReadsFrom,  // who could see what: AimRole::kReads, kSees, kRival
};

struct StrategyEntry {
  const char* name;
  const char* summary;  // one line for --help
  // A seed is a sample: rates over seeds, and intervals around them, mean something.
  bool samples = false;
  // Where the strategy stands in an order, from 1 on; 0: it does not.
  // What a unit test may name (raddle::check): each seed is an execution of its own.
  std::uint8_t in_tests = 0;
  // What a profile runs in turn, since what one never does another may do often. A campaign's
  // profile has the first two, a hunt's has all.
  std::uint8_t in_profiles = 0;
  // What a hunt runs in turn when it has no candidate in view.
  std::uint8_t in_hunts = 0;
  // What executions of a suite take turns among. They know nothing of each other: none that learns.
  std::uint8_t in_suites = 0;
  // Needs Plan::pct_steps, the expected length of an execution.
  bool needs_length = false;
  // Reads Plan::atomic_blocks.
  bool uses_blocks = false;
  // While threads can move, time passes with idle operations and looks at a clock only: what a
  // thread sees of time then does not depend on how the others' steps are ordered.
  bool time_stands_still = false;
  Confirms confirms = Confirms::kNothing;
  // Brings about a candidate that the plan's aims name: without one there is nothing to do.
  bool needs_candidate = false;
  // A seed alone does not determine its executions.
  Learns learns = Learns::kNothing;
};

// X(identifier of make_..., the entry), in the order in which --help shows them.
#define RADDLE_STRATEGIES(X)                                                                       \
  X(random, .name = "random", .summary = "every enabled thread equally likely at every step",      \
    .samples = true, .in_tests = 1, .in_profiles = 1, .in_hunts = 1, .in_suites = 1)               \
  X(pct, .name = "pct",                                                                            \
    .summary = "random priorities with --depth - 1 changes (probabilistic concurrency testing)",   \
    .samples = true, .in_tests = 3, .in_profiles = 3, .in_hunts = 6, .in_suites = 4,               \
    .needs_length = true)                                                                          \
  X(pos, .name = "pos",                                                                            \
    .summary = "random priorities renewed on conflict (partial order sampling)", .samples = true,  \
    .in_tests = 2, .in_profiles = 2, .in_hunts = 4, .in_suites = 3)                                \
  X(surw, .name = "surw",                                                                          \
    .summary = "interleavings of selected events all equally likely (selectively uniform walk)",   \
    .samples = true, .in_tests = 5, .in_hunts = 5, .learns = Learns::kWork)                        \
  X(rff, .name = "rff",                                                                            \
    .summary = "makes reads see what they did not see before (reads-from-guided fuzzing)",         \
    .in_tests = 6, .in_hunts = 2, .learns = Learns::kReadsFrom)                                    \
  X(round_robin, .name = "round-robin",                                                            \
    .summary = "each enabled thread in turn; the seed is the number of steps of a turn",           \
    .in_tests = 4, .in_profiles = 4)                                                               \
  X(non_preemptive, .name = "non-preemptive",                                                      \
    .summary = "each thread runs until it waits; the seed has no influence")                       \
  X(systematic, .name = "systematic",                                                              \
    .summary = "no preemption: a thread runs until it waits or gives way (as in raddle explore)",  \
    .time_stands_still = true)                                                                     \
  X(atom, .name = "atom",                                                                          \
    .summary = "holds a thread back in an atomic block until another takes its lock (AtomFuzzer)", \
    .samples = true, .in_hunts = 3, .in_suites = 2, .uses_blocks = true,                           \
    .confirms = Confirms::kAtomicity)                                                              \
  X(race, .name = "race",                                                                          \
    .summary = "brings two accesses that may race next to each other (RaceFuzzer)",                \
    .samples = true, .confirms = Confirms::kRaces, .needs_candidate = true)                        \
  X(lifetime, .name = "lifetime",                                                                  \
    .summary = "brings the free of a block before a use that it came after", .samples = true,      \
    .confirms = Confirms::kLifetimes, .needs_candidate = true)                                     \
  X(deadlock, .name = "deadlock",                                                                  \
    .summary = "holds threads back until a cycle of locks has closed", .samples = true,            \
    .confirms = Confirms::kDeadlocks, .needs_candidate = true)                                     \
  X(asset, .name = "asset",                                                                        \
    .summary = "interleaves two units of work on one atomic set (AssetFuzzer)", .samples = true,   \
    .confirms = Confirms::kAtomicSets, .needs_candidate = true)

std::span<const StrategyEntry> strategies();

// Null when there is no such strategy. Allocates nothing.
const StrategyEntry* find_strategy(std::string_view name);

// Where nothing in particular is wanted: the default, and what measures how long an execution is.
inline constexpr char kPlainStrategy[] = "random";
// What goes on behind the choices of an explorer, and says what time is for them.
inline constexpr char kExploringStrategy[] = "systematic";

// Of a plan: null if it names none that there is.
inline const StrategyEntry* strategy_of(const Plan& plan) { return find_strategy(plan.strategy); }

// One of the orders above, as &StrategyEntry::in_profiles: how many stand in it, and whose turn it
// is if the first has turn 0 and the last is followed by the first.
using StrategyOrder = std::uint8_t StrategyEntry::*;
std::size_t count_in(StrategyOrder order);
const StrategyEntry& strategy_at(StrategyOrder order, std::size_t turn);

// Null if none brings that about.
const StrategyEntry* strategy_confirming(Confirms what);

// What does not fit is cut.
void set_strategy(Plan& plan, std::string_view name);

}  // namespace raddle
