#include "host/campaign/hunt/hunt_state.hpp"

#include <algorithm>
#include <utility>

#include "host/campaign/confirm/confirm.hpp"
#include "host/process/outcome.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kGuessedLength = 1000;

}  // namespace

HuntState::HuntState(const Workers& by, const HuntOptions& wanted, Symbolizer& names,
                     const HuntWatcher& told)
    : workers(by),
      options(wanted),
      symbols(names),
      watcher(told),
      feedback(wanted.first_seed),
      circumstances(wanted.plan),
      seed(wanted.first_seed) {}

Clock::duration HuntState::time_limit() const {
  const auto left = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::max(kLeastTime, budget() - elapsed())));
  const bool limited = options.timeout != Clock::duration{};
  return limited ? std::min(options.timeout, left) : left;
}

bool HuntState::is_cut_off(const Execution& execution, double end) const {
  const double own = std::chrono::duration<double>(options.timeout).count();
  return execution.kind == OutcomeKind::kLimit && elapsed() >= end &&
         (own == 0 || execution.seconds < own);
}

RunOptions HuntState::running(const AimList& aims) const {
  RunOptions running;
  running.timeout = time_limit();
  running.until = at(budget() + kLeastTime);
  running.stop = options.stop;
  running.aims = aims;
  running.keep_log = true;
  return running;
}

Plan HuntState::plan_for(const StrategyEntry& strategy) {
  Plan plan = options.plan;
  set_strategy(plan, strategy.name);
  plan.seed = seed++;
  if (!strategy.uses_blocks) plan.atomic_blocks = 0;
  plan.pct_steps = expected_length();
  return plan;
}

std::uint64_t HuntState::expected_length() const {
  return result.executions == 0 ? kGuessedLength : result.steps / result.executions + 1;
}

bool HuntState::count(Execution& execution, const HuntFinding* candidate, bool redundant) {
  if (is_cut_off(execution, budget())) {
    set_outcome(execution, OutcomeKind::kLimit,
                "the hunt's time was over before the execution was; raise --budget, or lower "
                "--timeout so that an execution that hangs does not take all of it");
  }
  execution.circumstances = beyond(options.plan, execution.circumstances);
  add_counts(execution);
  circumstances.saw(
      execution.out_of_control.timed_waits > 0,
      std::any_of(execution.log.begin(), execution.log.end(),
                  [](const StepRecord& record) { return record.op == OpKind::cond_wait; }));
  const bool is_new = !redundant && schedules_.insert(execution.log_hash).second;
  if (is_new) ++result.schedules;
  if (options.journal != nullptr) options.journal->executed(execution, candidate);
  if (execution.kind == OutcomeKind::kNone && execution.report != nullptr) {
    const std::size_t before = result.misuses.size();
    add_misuses(result.misuses, execution, symbols);
    for (std::size_t i = before; options.journal != nullptr && i < result.misuses.size(); ++i)
      options.journal->misused(result.misuses[i]);
  }
  if (execution.kind != OutcomeKind::kNone && !is_failing(execution.kind) &&
      !reached_our_limit(execution))
    note_inconclusive(execution);
  return is_new;
}

// The part that explores ends long executions early: that says nothing of the program.
bool HuntState::reached_our_limit(const Execution& execution) const {
  const std::uint64_t limit = execution.plan.max_steps;
  return execution.kind == OutcomeKind::kLimit && limit != 0 && limit != options.plan.max_steps &&
         execution.steps >= limit;
}

void HuntState::count_circumstance(Execution& execution) {
  execution.circumstances = beyond(options.plan, execution.circumstances);
  add_counts(execution);
  if (options.journal != nullptr) options.journal->executed(execution, nullptr);
  circumstances.ended(execution.plan,
                      execution.kind == OutcomeKind::kNone || is_failing(execution.kind));
}

void HuntState::add_counts(const Execution& execution) {
  ++result.executions;
  result.steps += execution.steps;
  result.threads = std::max(result.threads, execution.threads);
}

void HuntState::note_inconclusive(const Execution& execution) {
  if (stopped() && execution.ended_by_host) return;
  ++result.inconclusive;
  Failure failure = describe(execution, symbols);
  add_note(result.inconclusive_reasons, *failure.verdict, execution.plan.seed);
  if (result.first_inconclusive) return;
  FailureGroup& first = result.first_inconclusive.emplace();
  first.failure = std::move(failure);
  first.count = 1;
  first.first_seed = execution.plan.seed;
  first.execution = without_report(execution);
}

bool HuntState::add_failing(Execution execution) {
  const std::size_t before = groups.list().size();
  // The less it takes the better it is to know.
  const FailureGroup& group =
      groups.add(std::move(execution), symbols, [](const Execution& one, const Execution& first) {
        return burden_of(one.circumstances) < burden_of(first.circumstances);
      });
  if (options.journal != nullptr) options.journal->failed(group);
  return groups.list().size() != before;
}

bool HuntState::has_telling_failure() const {
  const std::vector<FailureGroup>& list = groups.list();
  return std::any_of(list.begin(), list.end(), [&](const FailureGroup& group) {
    return burden_of(beyond(options.plan, group.execution.circumstances)) != Burden::kRare;
  });
}

void HuntState::note_progress(HuntCounts& counts, HuntPhase phase, std::uint64_t executions,
                              std::uint64_t candidates, double share) {
  counts.phase = phase;
  counts.executions = executions;
  counts.candidates = candidates;
  counts.confirmed = static_cast<std::uint64_t>(
      std::count_if(result.candidates.begin(), result.candidates.end(),
                    [](const HuntFinding& one) { return one.level >= FindingLevel::kHarmful; }));
  counts.failing = groups.list().size();
  counts.seconds = phase_seconds();
  counts.share = share;
  watcher(counts);
  if (share >= 1) phase_begin_ = Clock::now();
}

}  // namespace raddle
