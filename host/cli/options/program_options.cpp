#include "host/cli/options/program_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "host/cli/options/option_kinds.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

// PCT's guess of an execution's length when nobody measured it.
constexpr std::uint64_t kGuessedLength = 1000;
// This many idle operations of all threads in a row, with nothing else between them.
constexpr std::uint64_t kLivelockSteps = 10'000;

std::set<std::string> strategy_names(bool campaign) {
  std::set<std::string> names;
  for (const StrategyEntry& entry : strategies()) {
    if (campaign || !entry.needs_candidate) names.insert(entry.name);
  }
  return names;
}

std::string strategy_help(bool campaign) {
  std::string text = "Who goes next:";
  for (const StrategyEntry& entry : strategies()) {
    if (entry.needs_candidate && !campaign) continue;
    text += fmt::format("\n  {:<12} {}", entry.name, entry.summary);
  }
  return text;
}

}  // namespace

void add_seed(CLI::App& app, ProgramOptions& options, const char* help) {
  number(app, "--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max(), help);
}

void add_strategy(CLI::App& app, ProgramOptions& options, bool campaign) {
  choice(app, "--strategy", options.strategy, strategy_names(campaign), strategy_help(campaign));
  number(app, "--depth", options.depth, 1, 64, "pct: depth of the bugs to look for");
  number(app, "--length", options.length, 1, kMaxMaxSteps,
         "pct: expected decision points an execution (fuzz measures it, run takes 1000)")
      ->default_str("");
}

void add_carrier(CLI::App& app, ProgramOptions& options) {
  choice(app, "--carrier", options.carrier, {"fiber", "kernel"},
         "What threads run on; the choices are the same");
}

void add_clock(CLI::App& app, ProgramOptions& options) {
  choice(app, "--clock", options.clock, {"steady", "adversarial", "hasty"},
         "adversarial: a timed wait may end at any time;\n"
         "hasty: one that has less than a second left");
  app.add_flag("--spurious-wakeups", options.spurious_wakeups,
               "Condition waits may return without a signal");
  app.add_flag("--short-transfers", options.short_transfers,
               "Reads from stream sockets, and writes that do not wait, may\n"
               "move less than they could");
  app.add_flag("--failing-allocations", options.failing_allocations,
               "Allocations of the program may fail");
}

void add_memory_faults(CLI::App& app, ProgramOptions& options) {
  app.add_flag("--no-memory-faults", options.no_memory_faults,
               "Freed memory that is touched, and accesses beyond a block, do not fail");
}

void add_limits(CLI::App& app, ProgramOptions& options) {
  add_carrier(app, options);
  add_memory_faults(app, options);
  add_clock(app, options);
  number(app, "--max-steps", options.max_steps, 1, kMaxMaxSteps, "Limit of decision points");
  duration(app, "--timeout", options.timeout,
           "Time limit of an execution: 500ms, 10s, 2m; a number alone is seconds");
  add_exit_codes(app, options.ok_exit);
}

void add_fork(CLI::App& app, bool& restore) {
  restore = true;
  app.add_flag_callback(
      "--fork", [&restore] { restore = false; },
      "Fork a process for each execution, instead of putting one back after each: the same "
      "executions, slower");
}

// A single execution does not know what races in others.
void add_decide(CLI::App& app, ProgramOptions& options, bool values) {
  std::set<std::string> names = {"sync", "all"};
  if (values) names.insert("values");
  choice(app, "--decide", options.decide, names,
         std::string("Instrumented: which plain accesses are decision points. Unmodified: all lets "
                     "others run after a release, too, not only before the next operation") +
             (values ? ". values: as all, for `raddle predict'" : ""));
}

void add_strict(CLI::App& app, bool& strict) {
  app.add_flag("--strict", strict,
               "Exit with 1 also for what rests on an inference: blocks and units that nobody\n"
               "annotated, and volatile accesses that race; and that did no harm");
}

void add_atomic(CLI::App& app, ProgramOptions& options) {
  const std::vector<std::string> sources = {"annotated", "locks", "functions", "frames"};
  CLI::Option* option =
      app.add_option_function<std::vector<std::string>>(
             "--atomic",
             [&options](const std::vector<std::string>& names) { options.atomic_blocks = names; },
             "atom: what is an atomic block: annotated, locks (a region that holds a lock), "
             "functions\n"
             "(units of work), frames (an invocation of a function that takes a lock twice)")
          ->type_name("SOURCE,...")
          ->delimiter(',')
          ->check(CLI::IsMember(sources))
          ->default_str("annotated,locks,frames");
  set_choices(*option, sources);
}

void add_atom(CLI::App& app, ProgramOptions& options) {
  add_atomic(app, options);
  app.add_option("--pause-probability", options.pause_probability,
                 "atom: how likely a thread is held back where it could be")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("0..1")
      ->default_str("0.5");
  number(app, "--max-pause", options.max_pause, 1, kMaxMaxSteps,
         "atom, race, deadlock, asset: no thread is held back for more steps than this");
}

CarrierKind carrier_of(const std::string& name) {
  return name == "kernel" ? CarrierKind::kKernel : CarrierKind::kFiber;
}

std::uint8_t atomic_blocks(const ProgramOptions& options) {
  std::uint8_t blocks = 0;
  for (const std::string& name : options.atomic_blocks) {
    if (name == "annotated") blocks |= kBlocksAnnotated;
    if (name == "locks") blocks |= kBlocksLocks;
    if (name == "functions") blocks |= kBlocksFunctions;
    if (name == "frames") blocks |= kBlocksFrames;
  }
  return blocks;
}

Plan make_plan(const ProgramOptions& options) {
  Plan plan{};
  set_strategy(plan, options.strategy);
  plan.seed = options.seed;
  plan.pct_depth = options.depth;
  plan.pct_steps = options.length != 0 ? options.length : kGuessedLength;
  plan.carrier = carrier_of(options.carrier);
  plan.clock = options.clock == "adversarial" ? ClockKind::kAdversarial
               : options.clock == "hasty"     ? ClockKind::kHasty
                                              : ClockKind::kSteady;
  plan.spurious_wakeups = options.spurious_wakeups;
  plan.short_transfers = options.short_transfers;
  plan.failing_allocations = options.failing_allocations;
  plan.memory_unjudged = options.no_memory_faults;
  plan.by_values = options.decide == "values";
  plan.decide = options.decide == "all" || plan.by_values ? DecideKind::kEvery
                : options.decide == "races"               ? DecideKind::kRaces
                                                          : DecideKind::kSync;
  const StrategyEntry* strategy = find_strategy(options.strategy);
  if (strategy != nullptr && strategy->uses_blocks) plan.atomic_blocks = atomic_blocks(options);
  plan.pause_permille = static_cast<std::uint32_t>(std::lround(options.pause_probability * 1000));
  plan.max_pause = options.max_pause;
  plan.max_steps = options.max_steps;
  plan.livelock_steps = kLivelockSteps;
  return plan;
}

}  // namespace raddle
