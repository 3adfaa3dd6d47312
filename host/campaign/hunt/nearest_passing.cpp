#include "host/campaign/hunt/nearest_passing.hpp"

#include <algorithm>
#include <utility>

#include "host/campaign/minimize/schedule.hpp"
#include "host/describe/explain/too_early.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostAttempts = 20;
constexpr std::uint64_t kUntilItWaits = ~std::uint64_t{0};

// The schedule in which turn `at` goes on to the end of its thread's next turn; nothing if it has
// none.
std::optional<Schedule> without_switch(const Schedule& schedule, std::size_t at) {
  const auto own = [&](const Turn& turn) { return turn.thread == schedule.turns[at].thread; };
  const auto next = std::find_if(schedule.turns.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                 schedule.turns.end(), own);
  if (next == schedule.turns.end()) return std::nullopt;
  Schedule changed = schedule;
  changed.turns[at].until = next->until;
  changed.turns.erase(changed.turns.begin() + (next - schedule.turns.begin()));
  return changed;
}

// What differs from turn `at` on, and not before.
std::vector<Schedule> changed_at(const Schedule& schedule, std::size_t at, std::uint32_t threads) {
  std::vector<Schedule> out;
  if (std::optional<Schedule> longer = without_switch(schedule, at)) out.push_back(*longer);
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    const ThreadId other{static_cast<std::uint16_t>(thread)};
    if (other == schedule.turns[at].thread) continue;
    out.push_back(schedule);
    out.back().turns.insert(out.back().turns.begin() + static_cast<std::ptrdiff_t>(at),
                            {other, kUntilItWaits});
  }
  return out;
}

Plan guided(const Plan& plan, std::size_t steps) {
  Plan changed = plan;
  changed.replay_strict = false;
  changed.replay_turns = true;
  changed.detail = false;
  changed.trace = TraceLevel::kMemory;
  // It may take another way, but one that takes much longer is not near.
  const std::uint64_t enough = 4 * std::uint64_t{steps} + 1000;
  changed.max_steps = plan.max_steps == 0 ? enough : std::min(plan.max_steps, enough);
  return changed;
}

}  // namespace

NearestPassing nearest_passing(Worker& worker, const Execution& failing, Symbolizer& symbols,
                               const RunOptions& options) {
  NearestPassing found;
  const Schedule schedule = schedule_of(failing.log);
  const Plan plan = guided(failing.plan, failing.log.size());
  for (std::size_t at = schedule.turns.size(); at-- > 0;) {
    for (const Schedule& changed : changed_at(schedule, at, failing.threads)) {
      if (found.executions++ == kMostAttempts) return found;
      KeptTrace trace;
      RunOptions running = options;
      running.aims = failing.aims;
      running.events = &trace;
      const Result<Execution> execution = worker.run(plan, guide_of(changed), running);
      if (!execution || (options.stop != nullptr && options.stop->load())) return found;
      if (execution->kind != OutcomeKind::kNone) continue;
      found.timeline = timeline_of(trace, Failure{}, symbols);
      found.trace = std::move(trace);
      return found;
    }
  }
  return found;
}

Explanation compared_with_passing(Explanation explanation, Worker& worker, const Execution& failing,
                                  const KeptTrace& trace, const Failure& failure,
                                  Symbolizer& symbols, const RunOptions& options) {
  if (!is_weak(explanation) || failure.kind == OutcomeKind::kDeadlock ||
      failure.kind == OutcomeKind::kLivelock)
    return explanation;
  const NearestPassing passing = nearest_passing(worker, failing, symbols, options);
  if (!passing.timeline) return explanation;
  std::optional<Explanation> better = explain_by_passing(trace, failure, passing.trace, symbols);
  return better ? std::move(*better) : std::move(explanation);
}

}  // namespace raddle
