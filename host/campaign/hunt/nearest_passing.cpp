#include "host/campaign/hunt/nearest_passing.hpp"

#include <algorithm>
#include <utility>

#include "host/campaign/hunt/turning_search.hpp"
#include "host/campaign/minimize/schedule.hpp"
#include "host/describe/explain/counting/counted_causes.hpp"
#include "host/describe/explain/orders/too_early.hpp"
#include "host/describe/explain/turning/turning_point.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostAttempts = 40;
// Executions with other schedules: enough of them passed, or too many were tried.
constexpr std::uint64_t kEnoughOthers = 8;
constexpr std::uint64_t kMostOthers = 80;
constexpr std::uint64_t kUntilItWaits = ~std::uint64_t{0};

// The schedule in which turn `at` goes on to the end of its thread's next turn; nothing if it has
// none, or goes on already.
std::optional<Schedule> without_switch(const Schedule& schedule, std::size_t at) {
  const auto own = [&](const Turn& turn) { return turn.thread == schedule.turns[at].thread; };
  const auto following = schedule.turns.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  const auto next = std::find_if(following, schedule.turns.end(), own);
  if (next == following || next == schedule.turns.end()) return std::nullopt;
  Schedule changed = schedule;
  changed.turns[at].until = next->until;
  changed.turns.erase(changed.turns.begin() + (next - schedule.turns.begin()));
  return changed;
}

using Threads = std::vector<ThreadId>;

// The schedule in which other threads run as far as they can before turn `at`, one after the other.
Schedule with_others(const Schedule& schedule, std::size_t at, const Threads& others) {
  Schedule changed = schedule;
  for (std::size_t i = 0; i < others.size(); ++i)
    changed.turns.insert(changed.turns.begin() + static_cast<std::ptrdiff_t>(at + i),
                         {others[i], kUntilItWaits});
  return changed;
}

// The schedule in which turn `at` ends after its thread's step `until`, others run as far as they
// can, and the turn goes on.
Schedule with_others_inside(const Schedule& schedule, std::size_t at, std::uint64_t until,
                            const Threads& others) {
  Schedule changed = with_others(schedule, at + 1, others);
  const Turn rest = changed.turns[at];
  changed.turns[at].until = until;
  const std::size_t behind = at + 1 + others.size();
  changed.turns.insert(changed.turns.begin() + static_cast<std::ptrdiff_t>(behind), rest);
  return changed;
}

// Who may come in where a thread has its turn: each other one alone, then all of them, which some
// failures need to be gone.
std::vector<Threads> newcomers(std::uint32_t threads, ThreadId own) {
  std::vector<Threads> result;
  Threads all;
  for (std::uint32_t i = 0; i < threads; ++i) {
    const ThreadId other{static_cast<std::uint16_t>(i)};
    if (other == own) continue;
    result.push_back({other});
    all.push_back(other);
  }
  if (all.size() > 1) result.push_back(std::move(all));
  return result;
}

// The same execution, with the last step of the last turn as a turn of its own: what the failing
// step reads may be written right before it.
Schedule with_last_step(Schedule schedule) {
  if (schedule.turns.empty() || schedule.turns.back().until < 2) return schedule;
  const Turn last = schedule.turns.back();
  --schedule.turns.back().until;
  schedule.turns.push_back(last);
  return schedule;
}

// The schedules that are near to a failing one, the nearest first: what differs later comes before
// what differs earlier. Switches are moved before new ones are made within a turn, and first within
// turns of the thread that fails: what it reads there is what it fails by. One at a time, since an
// execution of many threads and turns has many.
class NearSchedules {
 public:
  NearSchedules(const Schedule& failing, std::uint32_t threads)
      : failing_(with_last_step(failing)), threads_(threads), at_(failing_.turns.size()) {
    for (std::size_t turn = 0; turn < failing_.turns.size(); ++turn) to_split_.push_back(turn);
    std::stable_partition(to_split_.begin(), to_split_.end(), [&](std::size_t turn) {
      return failing_.turns[turn].thread != failing_.turns.back().thread;
    });
  }

  std::optional<Schedule> next() {
    for (; at_ > 0; --at_, way_ = 0) {
      const std::size_t turn = at_ - 1;
      if (way_ == 0) {
        ++way_;
        if (std::optional<Schedule> longer = without_switch(failing_, turn)) return longer;
      }
      const std::vector<Threads> ways = newcomers(threads_, failing_.turns[turn].thread);
      if (way_ <= ways.size()) return with_others(failing_, turn, ways[way_++ - 1]);
    }
    return next_inside();
  }

 private:
  std::optional<Schedule> next_inside() {
    for (; !to_split_.empty(); to_split_.pop_back(), until_.reset()) {
      const std::size_t turn = to_split_.back();
      const std::uint64_t begin = begin_of(turn);
      const std::vector<Threads> ways = newcomers(threads_, failing_.turns[turn].thread);
      if (!until_) until_ = failing_.turns[turn].until;
      for (; *until_ > begin + 1; --*until_, inside_way_ = 0) {
        if (inside_way_ < ways.size())
          return with_others_inside(failing_, turn, *until_ - 1, ways[inside_way_++]);
      }
    }
    return std::nullopt;
  }

  // The steps that the turn's thread had made before it.
  std::uint64_t begin_of(std::size_t turn) const {
    for (std::size_t i = turn; i-- > 0;) {
      if (failing_.turns[i].thread == failing_.turns[turn].thread) return failing_.turns[i].until;
    }
    return 0;
  }

  Schedule failing_;
  std::uint32_t threads_;
  std::size_t at_;                      // of the turn that is changed next, and one more
  std::size_t way_ = 0;                 // 0: goes on; otherwise newcomers way_ - 1 come in
  std::vector<std::size_t> to_split_;   // turns, the next one last
  std::optional<std::uint64_t> until_;  // where
  std::size_t inside_way_ = 0;          // which newcomers come in
};

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
  NearSchedules near(schedule_of(failing.log), failing.threads);
  const Plan plan = guided(failing.plan, failing.log.size());
  while (found.executions < kMostAttempts && !is_over(options)) {
    const std::optional<Schedule> changed = near.next();
    if (!changed) break;
    ++found.executions;
    KeptTrace trace;
    RunOptions running = options;
    running.aims = failing.aims;
    running.events = &trace;
    const Result<Execution> execution = worker.run(plan, guide_of(*changed), running);
    if (!execution || is_over(options)) break;
    if (execution->kind != OutcomeKind::kNone) continue;
    found.timeline = timeline_of(trace, Failure{}, symbols);
    found.trace = std::move(trace);
    break;
  }
  return found;
}

static bool looks_again(const Explanation& explanation) {
  return explanation.cause == Cause::kTwoReads || explanation.cause == Cause::kOverwritten;
}

bool asks_for_passing(const Explanation& explanation) {
  return is_weak(explanation) || looks_again(explanation) || asks_for_turning_point(explanation);
}

// What a few executions with other schedules do, if they pass.
static std::set<std::string> usual_in_others(Worker& worker, const Execution& failing,
                                             Symbolizer& symbols, const RunOptions& options) {
  std::set<std::string> usual;
  Plan plan = guided(failing.plan, failing.log.size());
  plan.replay_turns = false;
  set_strategy(plan, kPlainStrategy);
  std::uint64_t passed = 0;
  for (plan.seed = 1; plan.seed <= kMostOthers && passed < kEnoughOthers; ++plan.seed) {
    KeptTrace trace;
    RunOptions running = options;
    running.aims = failing.aims;
    running.events = &trace;
    const Result<Execution> execution = worker.run(plan, {}, running);
    if (!execution || is_over(options)) break;
    if (execution->kind != OutcomeKind::kNone) continue;
    ++passed;
    usual.merge(usual_rereads(trace, symbols));
  }
  return usual;
}

static Explanation by_nearest(Explanation explanation, Worker& worker, const Execution& failing,
                              const KeptTrace& trace, const Failure& failure, Symbolizer& symbols,
                              const RunOptions& options) {
  if (failure.kind == OutcomeKind::kDeadlock || failure.kind == OutcomeKind::kLivelock)
    return explanation;
  // What differs in passing executions as well is no cause.
  if (looks_again(explanation))
    explanation =
        explain(trace, failure, symbols, usual_in_others(worker, failing, symbols, options));
  if (!is_weak(explanation)) return explanation;
  const NearestPassing passing = nearest_passing(worker, failing, symbols, options);
  if (!passing.timeline) return explanation;
  std::optional<Explanation> better = explain_by_passing(trace, failure, passing.trace, symbols);
  if (better) explanation = std::move(*better);
  add_passed(explanation, trace, failure, symbols, &passing.trace);
  return explanation;
}

// The steps of a check and an act, as far as the explanation shows them.
static std::optional<StepBetween> check_then_act(const Explanation& explanation) {
  if (explanation.cause != Cause::kCheckThenAct) return std::nullopt;
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> middle;
  for (const ExplainedStep& step : explanation.steps) {
    const bool own = step.thread == explanation.last.thread;
    if (own && step.violates && first && middle) return StepBetween{*first, *middle, step.step};
    if (own && !first) first = step.step;
    if (first && !middle && step.thread == explanation.middle.thread &&
        step.action != StepAction::kReads)
      middle = step.step;
  }
  return std::nullopt;
}

Explanation compared_with_passing(Explanation explanation, Worker& worker, const Execution& failing,
                                  const KeptTrace& trace, const Failure& failure,
                                  Symbolizer& symbols, const RunOptions& options) {
  if (!asks_for_passing(explanation)) return explanation;
  explanation =
      by_nearest(std::move(explanation), worker, failing, trace, failure, symbols, options);
  if (!asks_for_turning_point(explanation)) return explanation;
  const std::optional<StepBetween> pattern = check_then_act(explanation);
  if (pattern && matters_between(worker, failing, trace, *pattern, options)) return explanation;
  const std::optional<TurningPoint> point =
      find_turning_point(worker, failing, trace, failure.thread, options);
  std::optional<TurningStory> story =
      point ? explain_turning_point(trace, failure, *point, symbols) : std::nullopt;
  if (story && says_more(*story, explanation)) {
    add_passed(story->explanation, trace, failure, symbols, &point->passing);
    return std::move(story->explanation);
  }
  std::optional<Explanation> since =
      point ? explain_since_begin(trace, failure, *point, explanation, symbols) : std::nullopt;
  return since ? std::move(*since) : std::move(explanation);
}

}  // namespace raddle
