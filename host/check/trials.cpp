#include "host/check/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "host/campaign/feedback/feedback_rounds.hpp"
#include "host/check/explain.hpp"
#include "host/check/races.hpp"
#include "host/process/outcome.hpp"
#include "host/report/words/control/control_words.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

using Time = std::chrono::steady_clock;

constexpr std::uint64_t kDefaultExecutions = 1000;
constexpr std::uint64_t kLivelockSteps = 10'000;
// One in so many executions is run twice, and those of small number more often.
constexpr std::uint64_t kTwice = 64;
// Executions between two looks at the clock.
constexpr std::uint64_t kLook = 16;

bool is_run_twice(std::uint64_t index) {
  // Not the first: it may be the one that initialises what is initialised once in a process.
  return index > 0 && ((index & (index - 1)) == 0 || index % kTwice == 0);
}

// For a strategy that must know something of executions before the first.
std::span<const StepRecord> plain_execution(InProcessRunner& runner, const Plan& plan) {
  Plan random = plan;
  set_strategy(random, kPlainStrategy);
  runner.run(random);
  return runner.log();
}

bool same_log(std::span<const StepRecord> a, std::span<const StepRecord> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_step);
}

double seconds_since(Time::time_point begin) {
  return std::chrono::duration<double>(Time::now() - begin).count();
}

FailureFacts facts_of(InProcessRunner& runner, const TrialOptions& options, bool by_choices,
                      std::string which) {
  return {replay_string(runner.region().plan(), by_choices, options.identity, runner.log()),
          options.arguments, std::move(which)};
}

}  // namespace

namespace {

TrialResult failed_by(const DataRace& race, const TrialOptions& options) {
  const FailureFacts facts{
      replay_string(race.plan, false, options.identity, race.log), options.arguments,
      fmt::format("one of the first executions, which are recorded: {}, seed {}",
                  race.plan.strategy, race.plan.seed)};
  TrialResult result;
  result.coverage.executions = 1;
  result.failure = race_text(race) + footer(facts);
  return result;
}

bool is_named(const DataRace& race, const NamedExecution& named) {
  return race.plan.seed == named.plan.seed &&
         std::string_view(race.plan.strategy) == named.plan.strategy &&
         short_log_hash(race.log) == named.log;
}

}  // namespace

bool prepare_for_races(InProcessRunner& runner, const TrialOptions& options, Plan& plan,
                       TrialResult& result) {
  if (options.asked.every_access) plan.decide = DecideKind::kEvery;
  const Races races = find_races(runner, plan);
  if (plan.decide == DecideKind::kSync && !races.sites.empty()) plan.decide = DecideKind::kRaces;
  runner.decide_at(races.sites);
  if (!options.asked.races || !races.race) return true;
  result = failed_by(*races.race, options);
  return false;
}

Plan plan_of(const Options& options) {
  Plan plan{};
  set_strategy(plan, options.strategy);
  plan.seed = options.seed;
  plan.pct_depth = options.depth;
  plan.carrier = CarrierKind::kFiber;
  plan.clock = options.adversarial_clock ? ClockKind::kAdversarial : ClockKind::kSteady;
  plan.spurious_wakeups = options.spurious_wakeups;
  plan.max_steps = options.max_steps;
  plan.livelock_steps = kLivelockSteps;
  return plan;
}

void add_timing(const InProcessRunner& runner, TrialResult& result) {
  const OutOfControl clock{.timed_waits = runner.timed_waits(),
                           .close_waits = runner.close_waits()};
  const std::string times = timing_words(clock, "Options::adversarial_clock");
  if (times.empty()) return;
  result.unseen += (result.unseen.empty() ? "" : "; ") + times;
}

TrialResult try_at_random(InProcessRunner& runner, const TrialOptions& options) {
  const Time::time_point begin = Time::now();
  TrialResult result;
  Plan plan = plan_of(options.asked);
  const StrategyEntry* strategy = strategy_of(plan);
  if (!prepare_for_races(runner, options, plan, result)) return result;
  const bool learns = strategy != nullptr && strategy->learns != Learns::kNothing;
  std::optional<FeedbackRounds> feedback;
  if (learns) feedback.emplace(*strategy, plan.seed);
  if (learns || (strategy != nullptr && strategy->needs_length)) {
    const std::span<const StepRecord> plain = plain_execution(runner, plan);
    plan.pct_steps = std::max<std::uint64_t>(plain.size(), 1);
    if (learns) feedback->learn(plain);
  }
  std::uint64_t executions = options.asked.executions;
  if (executions == 0)
    executions = options.asked.seconds > 0 ? ~std::uint64_t{0} : kDefaultExecutions;
  std::vector<StepRecord> first;
  for (std::uint64_t i = 0; i < executions && result.failure.empty(); ++i) {
    if (options.asked.seconds > 0 && i % kLook == 0 &&
        seconds_since(begin) >= options.asked.seconds)
      break;
    plan.seed = options.asked.seed + i;
    ++result.coverage.executions;
    const auto which = [&](const char* what) {
      return fmt::format("{} {} of {}, {}, seed {}", what, i + 1,
                         executions == ~std::uint64_t{0} ? "as many as there is time for"
                                                         : std::to_string(executions),
                         plan.strategy, plan.seed);
    };
    if (learns && feedback->may_start(i)) runner.guide_by(feedback->guide_of(i).aims);
    const OutcomeKind kind = runner.run(plan);
    if (learns) feedback->ended(runner.log(), observe(runner.log()));
    // What it learnt is not in the name of an execution: then the choices are.
    if (kind != OutcomeKind::kNone) {
      result.failure =
          explain_failure(runner, facts_of(runner, options, learns, which("execution")));
    } else if (is_run_twice(i)) {
      first.assign(runner.log().begin(), runner.log().end());
      runner.run(plan);
      if (!same_log(first, runner.log())) {
        // Named by the choices that it made the first time.
        const FailureFacts facts{
            replay_string(runner.region().plan(), learns, options.identity, first),
            options.arguments, which("execution")};
        result.failure = explain_difference(runner, first, facts);
      }
    }
  }
  add_timing(runner, result);
  result.coverage.seconds = seconds_since(begin);
  result.coverage.passed = result.failure.empty();
  return result;
}

TrialResult try_named(InProcessRunner& runner, const NamedExecution& named,
                      const TrialOptions& options) {
  const Time::time_point begin = Time::now();
  TrialResult result;
  if (named.plan.decide == DecideKind::kRaces) {
    const Races races = find_races(runner, named.plan);
    if (races.race && is_named(*races.race, named)) return failed_by(*races.race, options);
    runner.decide_at(races.sites);
  }
  const auto run = [&] {
    ++result.coverage.executions;
    return runner.run(named.plan, named.choices);
  };
  const auto is_it = [&] { return short_log_hash(runner.log()) == named.log; };
  OutcomeKind kind = run();
  // What is initialised once in a process may have made the difference: then the second time is as
  // it was.
  if (kind == OutcomeKind::kNone && !is_it()) kind = run();
  const bool by_choices = !named.choices.empty();
  const FailureFacts facts = facts_of(runner, options, by_choices, "replayed");
  if (!is_it()) {
    result.failure = fmt::format(
        "the execution does not follow the one that was named: the function does not do the same "
        "each time, or it was another failure.\n{}",
        kind == OutcomeKind::kNone ? "Now it passed.\n" : "");
  }
  if (kind != OutcomeKind::kNone) result.failure += explain_failure(runner, facts);
  result.coverage.seconds = seconds_since(begin);
  result.coverage.passed = result.failure.empty();
  return result;
}

}  // namespace raddle
