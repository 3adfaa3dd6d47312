#include "host/campaign/profile/profile.hpp"

#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kGuessedLength = 1000;  // of the first execution

}  // namespace

ProfileExtent extent_for_candidates() {
  return {.quiet = 6,
          .at_least = 12,
          .at_most = 60,
          .strategies = count_in(&StrategyEntry::in_profiles)};
}

Result<unsigned> profile(Worker& worker, const ProfileOptions& options, Collector& collector) {
  unsigned quiet = 0;
  unsigned executions = 0;
  std::uint64_t steps = 0;
  const ProfileExtent& extent = options.extent;
  const auto stopped = [&] { return options.stop != nullptr && options.stop->load(); };
  const auto goes_on = [&] {
    if (executions == 0) return true;
    if (stopped() || executions >= extent.at_most || Clock::now() >= options.until) return false;
    return quiet < extent.quiet || executions < extent.at_least;
  };
  while (goes_on()) {
    Plan plan = options.plan;
    set_strategy(plan,
                 strategy_at(&StrategyEntry::in_profiles, executions % extent.strategies).name);
    plan.seed = options.first_seed + executions;
    plan.pct_steps = executions == 0 ? kGuessedLength : steps / executions + 1;
    plan.trace = options.trace;
    plan.atomic_blocks = 0;
    plan.pattern = 0;
    RunOptions running;
    running.timeout = options.timeout;
    running.stop = options.stop;
    running.aims = collector.aims();
    running.events = &collector.begin();
    if (options.before) options.before(plan, running);
    Result<Execution> execution = worker.run(plan, {}, running);
    if (!execution) return Error{execution.error()};
    ++executions;
    steps += execution->steps;
    quiet = collector.end(*execution) ? 0 : quiet + 1;
    execution->plan.trace = TraceLevel::kNone;
    if (options.after) options.after(std::move(*execution));
  }
  return executions;
}

}  // namespace raddle
