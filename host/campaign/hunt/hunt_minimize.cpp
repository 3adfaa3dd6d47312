#include "host/campaign/hunt/hunt_minimize.hpp"

#include <algorithm>
#include <utility>

#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/failures/explain.hpp"
#include "host/campaign/hunt/circumstances.hpp"
#include "host/campaign/hunt/nearest_passing.hpp"

namespace raddle {

namespace {

// Whoever cuts off a second look cannot say whether it fails again: seconds, and thrice as long as
// the first one took.
constexpr double kSecondLook = 1;
// To make it smaller takes three executions of its length at least: it again, one that could be
// smaller, and a look at what came of it.
constexpr int kFewestExecutions = 3;

Clock::duration limit_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

namespace {

// The same turns without the circumstances that the first execution met: if that fails alike, it
// did not need them. Nothing if it does not.
std::optional<Execution> without_circumstances(Worker& worker, const HuntOptions& options,
                                               Symbolizer& symbols, const FailureGroup& group,
                                               const RunOptions& running) {
  Plan plan = group.execution.plan;
  plan.clock = options.plan.clock;
  plan.spurious_wakeups = options.plan.spurious_wakeups;
  plan.short_transfers = plan.failing_allocations = false;
  plan.replay_turns = true;
  RunOptions keeping = running;
  keeping.keep_log = true;
  keeping.aims = group.execution.aims;
  Result<Execution> execution =
      worker.run(plan, guide_of(schedule_of(group.execution.log)), keeping);
  FailureCriterion keep(group.failure.kind, group.failure.group, symbols);
  if (!execution || !keep.has(*execution)) return std::nullopt;
  execution->plan.replay_turns = false;
  return std::move(*execution);
}

}  // namespace

Result<std::uint64_t> minimize_failure(Worker& worker, const HuntOptions& options,
                                       Symbolizer& symbols, double seconds, Clock::time_point until,
                                       HuntFailure& failure) {
  const Clock::time_point begin = Clock::now();
  const Clock::duration limit = std::min<Clock::duration>(
      options.timeout == Clock::duration{} ? Clock::duration::max() : options.timeout,
      std::max(limit_of(seconds), limit_of(kSecondLook + 3 * failure.group.execution.seconds)));
  RunOptions running = last_look(limit, options.stop);
  running.until = until;
  // Also if it met none: a smaller one could.
  const Plan& plan = failure.group.execution.plan;
  if (plan.clock != options.plan.clock || plan.spurious_wakeups != options.plan.spurious_wakeups ||
      plan.short_transfers || plan.failing_allocations) {
    std::optional<Execution> plain =
        without_circumstances(worker, options, symbols, failure.group, running);
    if (plain) failure.group.execution = std::move(*plain);
  }
  replay_and_explain(failure.group, worker, running, symbols);
  failure.smallest = without_report(failure.group.execution);
  failure.failure = failure.group.failure;
  failure.needs = beyond(options.plan, failure.smallest.circumstances);
  const bool stopped = options.stop != nullptr && options.stop->load();
  if (!failure.group.replays || stopped) return std::uint64_t{1};
  const Clock::duration once = limit_of(failure.group.execution.seconds);
  if (until - Clock::now() < kFewestExecutions * once) return std::uint64_t{1};
  MinimizeOptions minimizing;
  // Two looks take a part of the time: the one before, and one more at the smallest.
  const Clock::duration look = Clock::now() - begin;
  minimizing.time = std::max(Clock::duration{}, limit_of(seconds) - 2 * look);
  minimizing.timeout = limit;
  minimizing.until = until - once;
  minimizing.stop = options.stop;
  FailureCriterion keep(failure.group.failure.kind, failure.group.failure.group, symbols);
  Result<Minimized> minimized = minimize(worker, failure.group.execution, keep, minimizing);
  if (!minimized) return Error{minimized.error()};
  const std::uint64_t executions = minimized->executions + 1;
  if (!minimized->gone.empty()) return executions;
  failure.minimized = true;
  failure.before = minimized->before;
  failure.after = minimized->after;
  Explained explained = explained_by(worker, minimized->execution, symbols, running);
  const bool compared = asks_for_passing(explained.explanation);
  explained.explanation =
      compared_with_passing(std::move(explained.explanation), worker, minimized->execution,
                            explained.trace, explained.failure, symbols, running);
  if (compared) mark(explained.timeline, explained.explanation);
  failure.failure = std::move(explained.failure);
  // That of the larger execution names steps that this one does not have.
  failure.group.explanation = std::move(explained.explanation);
  failure.group.timeline = std::move(explained.timeline);
  failure.smallest = std::move(minimized->execution);
  failure.needs = beyond(options.plan, failure.smallest.circumstances);
  if (!options.passing) return executions + 1;
  NearestPassing passing = nearest_passing(worker, failure.smallest, symbols, running);
  failure.passing = std::move(passing.timeline);
  return executions + 1 + passing.executions;
}

}  // namespace raddle
