#include "host/campaign/hunt/turning_search.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "host/campaign/minimize/schedule.hpp"
#include "host/describe/explain/events/step_events.hpp"

namespace raddle {
namespace {

// To find one that passes: fewer where an execution is long. By steps, so that an explanation does
// not depend on how busy the machine is; by time only where an execution takes so long that the
// search would take a multiple of the hunt's budget: there is none then.
constexpr std::size_t kMostAttempts = 60;
constexpr std::size_t kFewestAttempts = 6;
constexpr std::size_t kManySteps = 2'000;
constexpr double kManySeconds = 0.3;
constexpr std::size_t kMostPoints = 4;   // that are looked at
constexpr std::size_t kMostBegins = 16;  // earlier places that are tried
constexpr std::size_t kMostRounds = 3;
constexpr std::uint64_t kEnoughOrders = 20;  // that pass, for advice
constexpr std::uint64_t kMostInARow = 4;     // steps of a thread, in these
constexpr std::uint64_t kUntilItWaits = ~std::uint64_t{0};

struct Step {
  ThreadId thread{};
  std::uint64_t number = 0;  // of its thread, from 1
  std::uint64_t index = 0;   // in the choice log
};

std::vector<Step> steps_of(const std::vector<StepRecord>& log) {
  std::vector<Step> steps;
  std::unordered_map<ThreadId, std::uint64_t> made;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (log[i].op != OpKind::value_choice)
      steps.push_back({log[i].thread, ++made[log[i].thread], i});
  }
  return steps;
}

// A thread goes before the step at `position`, until it has made so many steps.
struct Change {
  std::size_t position = 0;
  ThreadId thread{};
  std::uint64_t until = 0;
};

class TurningSearch {
 public:
  TurningSearch(Worker& worker, const Execution& failing, const KeptTrace& trace,
                const RunOptions& options, ThreadId thread = kNoThread)
      : worker_(worker),
        failing_(failing),
        trace_(trace),
        options_(options),
        thread_(thread),
        steps_(steps_of(failing.log)) {
    for (const StepRecord& record : failing.log) {
      if (record.op == OpKind::value_choice) values_.push_back(record);
    }
    for (const Event& event : trace.all()) {
      if (event.kind == EventKind::fork)
        created_.try_emplace(ThreadId{static_cast<std::uint16_t>(event.value)}, event.step);
      if (event.kind == EventKind::thread_end) ended_.insert(event.thread);
    }
    created_.try_emplace(kMainThread, 0);
  }

  // One that has a beginning, after which the other thread must not come any more, says more than
  // one that has none: what follows from the first may be seen much later. Steps of two other
  // threads that touch nothing in common decide no more than what the failing one finds. Who waits
  // after the beginning wants others to come: that the failing thread itself came too early says
  // more.
  std::optional<TurningPoint> run() {
    std::optional<TurningPoint> found;
    std::set<std::pair<std::uint64_t, std::uint64_t>> known;
    std::size_t attempts = 0;
    const std::size_t most = most_attempts();
    for (const std::size_t position : places()) {
      for (const Change& change : changes_at(position)) {
        if (++attempts > most || known.size() >= kMostPoints || stopped_) return found;
        const auto run = passing(change);
        if (!run) continue;
        const Change smallest = refined(limited(change, *run));
        std::optional<TurningPoint> point = told(smallest);
        if (!point || !known.insert({point->early, point->passing_late}).second) continue;
        const Step& early = steps_[smallest.position];
        if (!concerns_failing(early.thread, smallest.thread) && !touch_the_same(*point)) continue;
        if (point->begin && !waits_since_begin(*point, smallest.thread)) return point;
        const bool own = !point->begin && early.thread == thread_ && touch_the_same(*point);
        if (!found || (found->begin && own)) found = std::move(point);
      }
    }
    return found;
  }

  bool matters_between(const StepBetween& steps) {
    const auto at = [&](std::uint64_t index) {
      const auto one = std::find_if(steps_.begin(), steps_.end(),
                                    [&](const Step& step) { return step.index == index; });
      return static_cast<std::size_t>(one - steps_.begin());
    };
    const std::size_t first = at(steps.first);
    const std::size_t middle = at(steps.middle);
    const std::size_t last = at(steps.last);
    if (std::max({first, middle, last}) >= steps_.size()) return false;
    const Step& own = steps_[last];
    const Step& other = steps_[middle];
    const auto after = passing({first + 1, own.thread, own.number});
    if (!after || !comes_before(*after, own, other)) return false;
    const auto before = passing({first, other.thread, other.number});
    return before && comes_before(*before, other, steps_[first]);
  }

 private:
  std::uint64_t made_before(std::size_t position, ThreadId thread) const {
    std::uint64_t made = 0;
    for (std::size_t i = 0; i < position; ++i) {
      if (steps_[i].thread == thread) made = steps_[i].number;
    }
    return made;
  }

  // Index of the thread's step with this number; the number of steps if it did not come so far.
  std::size_t find(ThreadId thread, std::uint64_t number) const {
    const auto at = std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) {
      return step.thread == thread && step.number == number;
    });
    return static_cast<std::size_t>(at - steps_.begin());
  }

  bool exists(ThreadId thread, std::size_t position) const {
    const auto created = created_.find(thread);
    return created != created_.end() && created->second < steps_[position].index;
  }

  bool can_move(ThreadId thread, std::size_t position) const {
    if (thread == steps_[position].thread || !exists(thread, position)) return false;
    if (!ended_.contains(thread)) return true;
    return std::any_of(steps_.begin() + static_cast<std::ptrdiff_t>(position), steps_.end(),
                       [&](const Step& step) { return step.thread == thread; });
  }

  // `end`: of the steps that are as they were.
  Schedule changed(const Change& change, std::size_t end) const {
    Schedule schedule;
    schedule.values = values_;
    const auto add = [&](ThreadId thread, std::uint64_t until) {
      const bool goes_on = !schedule.turns.empty() && schedule.turns.back().thread == thread;
      if (!goes_on) schedule.turns.push_back({thread, until});
      schedule.turns.back().until = std::max(schedule.turns.back().until, until);
    };
    for (std::size_t i = 0; i < end; ++i) {
      if (i == change.position) add(change.thread, change.until);
      add(steps_[i].thread, steps_[i].number);
    }
    if (end == change.position) add(change.thread, change.until);
    return schedule;
  }

  // Nothing if it did not pass.
  std::optional<std::vector<Step>> passing(const Change& change, KeptTrace* trace = nullptr) {
    return passes(changed(change, steps_.size()), trace);
  }

  std::optional<std::vector<Step>> passes(const Schedule& schedule, KeptTrace* trace = nullptr) {
    Plan plan = failing_.plan;
    plan.replay_strict = false;
    plan.replay_turns = true;
    plan.detail = false;
    plan.trace = TraceLevel::kMemory;
    const std::uint64_t enough = 4 * std::uint64_t{failing_.log.size()} + 1000;
    plan.max_steps = plan.max_steps == 0 ? enough : std::min(plan.max_steps, enough);
    KeptTrace unused;
    RunOptions running = options_;
    running.aims = failing_.aims;
    running.keep_log = true;
    running.events = trace != nullptr ? trace : &unused;
    const Result<Execution> execution = worker_.run(plan, guide_of(schedule), running);
    stopped_ = stopped_ || !execution || is_over(options_);
    if (stopped_ || execution->kind != OutcomeKind::kNone) return std::nullopt;
    return steps_of(execution->log);
  }

  Change refined(Change change) {
    for (std::size_t round = 0; round < kMostRounds; ++round) {
      const Change before = change;
      take_fewer(change);
      come_later(change);
      if (before.position == change.position && before.until == change.until) break;
    }
    return change;
  }

  std::size_t most_attempts() const {
    if (failing_.seconds > kManySeconds) return 0;
    const std::size_t longer = steps_.size() / kManySteps + 1;
    return std::max(kFewestAttempts, kMostAttempts / longer);
  }

  // The last switches first; then places within turns.
  std::vector<std::size_t> places() const {
    std::vector<std::size_t> places;
    for (std::size_t i = steps_.size(); i-- > 1;) {
      const bool starts = steps_[i].thread != steps_[i - 1].thread;
      if (starts || i + 1 == steps_.size()) places.push_back(i);
    }
    const std::size_t starts = places.size();
    for (std::size_t i = steps_.size(); i-- > 1;) {
      const auto end = places.begin() + static_cast<std::ptrdiff_t>(starts);
      if (std::find(places.begin(), end, i) == end) places.push_back(i);
    }
    return places;
  }

  std::vector<Change> changes_at(std::size_t position) const {
    std::vector<Change> changes;
    // The thread that was interrupted goes on to the end of its next turn.
    const ThreadId before = steps_[position - 1].thread;
    if (can_move(before, position)) {
      for (std::size_t i = position; i < steps_.size(); ++i) {
        if (steps_[i].thread != before) continue;
        while (i + 1 < steps_.size() && steps_[i + 1].thread == before) ++i;
        changes.push_back({position, before, steps_[i].number});
        break;
      }
    }
    for (std::uint32_t i = 0; i < failing_.threads; ++i) {
      const ThreadId thread{static_cast<std::uint16_t>(i)};
      if (can_move(thread, position)) changes.push_back({position, thread, kUntilItWaits});
    }
    return changes;
  }

  // How far the thread really came.
  Change limited(Change change, const std::vector<Step>& run) const {
    std::uint64_t number = made_before(change.position, change.thread);
    for (std::size_t i = change.position; i < run.size() && run[i].thread == change.thread; ++i)
      number = run[i].number;
    change.until = std::min(change.until, number);
    return change;
  }

  void take_fewer(Change& change) {
    std::uint64_t fails = made_before(change.position, change.thread);
    while (fails + 1 < change.until && !stopped_) {
      const std::uint64_t middle = fails + (change.until - fails) / 2;
      if (passing({change.position, change.thread, middle})) {
        change.until = middle;
      } else {
        fails = middle;
      }
    }
  }

  void come_later(Change& change) {
    std::size_t fails = find(change.thread, change.until);
    while (change.position + 1 < fails && !stopped_) {
      const std::size_t middle = change.position + (fails - change.position) / 2;
      if (passing({middle, change.thread, change.until})) {
        change.position = middle;
      } else {
        fails = middle;
      }
    }
  }

  std::optional<TurningPoint> told(const Change& change) {
    TurningPoint point;
    const Step early = steps_[change.position];
    const auto run = passing(change, &point.passing);
    if (!run || early.thread == change.thread || point.passing.too_long()) return std::nullopt;
    const auto index = [&](ThreadId thread, std::uint64_t number) -> std::optional<std::uint64_t> {
      for (const Step& step : *run) {
        if (step.thread == thread && step.number == number) return step.index;
      }
      return std::nullopt;
    };
    const auto passing_late = index(change.thread, change.until);
    const auto passing_early = index(early.thread, early.number);
    if (!passing_late) return std::nullopt;
    if (passing_early && *passing_early < *passing_late) return std::nullopt;
    point.early = early.index;
    point.passing_late = *passing_late;
    point.passing_early = passing_early.value_or(kUntilItWaits);
    const std::size_t late = find(change.thread, change.until);
    if (late < steps_.size()) point.late = steps_[late].index;
    look_for_begin(point, early, change);
    return point;
  }

  // Whether the thread of `early` may go before an earlier step of the other one.
  void look_for_begin(TurningPoint& point, const Step& early, const Change& change) {
    std::size_t tried = 0;
    for (std::size_t i = change.position; i-- > 0;) {
      if (steps_[i].thread != change.thread) continue;
      if (!exists(early.thread, i)) break;
      if (++tried > kMostBegins || stopped_) return;
      for (const std::uint64_t until : {early.number, kUntilItWaits}) {
        const auto run = passing({i, early.thread, until});
        if (!run || !comes_before(*run, early, steps_[i])) continue;
        point.begin = steps_[i].index;
        return;
      }
    }
    point.helps_always = helps_always(change);
  }

  // The other way round, and from there on in any order: that may not be enough.
  bool helps_always(const Change& change) {
    for (std::uint64_t seed = 1; seed <= kEnoughOrders; ++seed) {
      if (stopped_ || !passes(in_any_order(change, seed))) return false;
    }
    return true;
  }

  bool waits_since_begin(const TurningPoint& point, ThreadId thread) const {
    const std::vector<Event>& events = trace_.all();
    return std::any_of(events.begin(), events.end(), [&](const Event& event) {
      return event.kind == EventKind::wait && event.thread == thread &&
             event.step >= *point.begin && event.step < point.early;
    });
  }

  bool concerns_failing(ThreadId early, ThreadId late) const {
    return early == thread_ || late == thread_ ||
           (reads_after_end(trace_, thread_, early) && reads_after_end(trace_, thread_, late));
  }

  // Both steps access one place of memory.
  bool touch_the_same(const TurningPoint& point) const {
    std::unordered_set<std::uint64_t> places;
    for (const std::size_t event : events_of(trace_, point.early))
      if (accesses(trace_.all()[event])) places.insert(trace_.all()[event].object);
    const std::vector<std::size_t> late = events_of(point.passing, point.passing_late);
    return std::any_of(late.begin(), late.end(), [&](std::size_t event) {
      const Event& other = point.passing.all()[event];
      return accesses(other) && places.contains(other.object);
    });
  }

  static bool accesses(const Event& event) {
    return is_access(event.kind) || (is_atomic(event.kind) && event.kind != EventKind::fence);
  }

  Schedule in_any_order(const Change& change, std::uint64_t seed) const {
    Schedule schedule = changed(change, change.position);
    std::unordered_map<ThreadId, std::uint64_t> made;
    for (std::size_t i = 0; i < change.position; ++i) made[steps_[i].thread] = steps_[i].number;
    made[change.thread] = change.until;
    std::mt19937_64 random(seed);
    for (std::size_t i = change.position; i < 2 * steps_.size(); ++i) {
      const ThreadId thread{static_cast<std::uint16_t>(random() % failing_.threads)};
      made[thread] += 1 + random() % kMostInARow;
      schedule.turns.push_back({thread, made[thread]});
    }
    return schedule;
  }

  static bool comes_before(const std::vector<Step>& run, const Step& one, const Step& other) {
    for (const Step& step : run) {
      if (step.thread == one.thread && step.number == one.number) return true;
      if (step.thread == other.thread && step.number == other.number) return false;
    }
    return false;
  }

  Worker& worker_;
  const Execution& failing_;
  const KeptTrace& trace_;
  const RunOptions& options_;
  ThreadId thread_;  // that fails
  std::vector<Step> steps_;
  std::vector<StepRecord> values_;
  std::unordered_map<ThreadId, std::uint64_t> created_;  // the step that created it
  std::unordered_set<ThreadId> ended_;
  bool stopped_ = false;
};

}  // namespace

std::optional<TurningPoint> find_turning_point(Worker& worker, const Execution& failing,
                                               const KeptTrace& trace, ThreadId thread,
                                               const RunOptions& options) {
  if (trace.too_long() || failing.log.size() < 2) return std::nullopt;
  return TurningSearch(worker, failing, trace, options, thread).run();
}

bool matters_between(Worker& worker, const Execution& failing, const KeptTrace& trace,
                     const StepBetween& steps, const RunOptions& options) {
  return !trace.too_long() && TurningSearch(worker, failing, trace, options).matters_between(steps);
}

}  // namespace raddle
