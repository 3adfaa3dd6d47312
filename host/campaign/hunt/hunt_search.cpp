#include "host/campaign/hunt/hunt_search.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "host/campaign/hunt/few_preemptions.hpp"
#include "host/campaign/hunt/hunt_findings.hpp"
#include "host/campaign/hunt/hunt_looks.hpp"
#include "host/campaign/hunt/strategy_shares.hpp"
#include "host/campaign/hunt/systematic_part.hpp"
#include "host/campaign/hunt/use_turns.hpp"
#include "host/campaign/hunt/worker_pool.hpp"
#include "host/campaign/profile/later_races.hpp"
#include "host/process/aim_places.hpp"
#include "host/process/outcome.hpp"

namespace raddle {
namespace {

// Executions that a candidate gets. A strategy that brings it about needs one or two; one that
// needs more than this many would be lucky.
constexpr std::uint64_t kTries = 60;
// After a failure, executions without a new one before the hunt is over.
constexpr std::uint64_t kQuiet = 400;
// Of the budget, once something failed: profile and confirm together; the rest is for minimizing.
constexpr double kSearchShare = 0.8;
// A round grows with what was done before it. Its size must not depend on the number of workers.
constexpr std::uint64_t kSmallestRound = 8;
constexpr std::uint64_t kLargestRound = 256;
// Schedules are gone through in order after so many executions: by then most failures that come
// easily have come. Of what has nothing in view, one execution in so many belongs to that.
constexpr std::uint64_t kBeforeSystematic = 48;
constexpr std::uint64_t kSystematicTurn = 3;
// After races were found late, so many executions at most in order before the others go on.
constexpr std::uint64_t kInOrderFirst = 256;
// New schedules have stopped coming when of so many executions at most this part had one.
constexpr std::uint64_t kWindow = 32;
constexpr double kFewNew = 0.05;

// For so many turns nothing is drawn at random: what has no candidate in view is a schedule with
// few preemptions. After that these take turns with the rest.
constexpr std::uint64_t kFewFirst = 32;
constexpr char kWithoutPreemption[] = "non-preemptive";
// Of turns, one in so many allows a circumstance; with one of the first strategies of a profile.
constexpr std::uint64_t kCircumstanceTurn = 6;
constexpr std::size_t kCircumstanceStrategies = 3;

struct Task {
  Plan plan{};
  AimList aims;
  std::size_t candidate = kNoCandidate;
  std::optional<std::size_t> use;       // in UseTurns
  std::optional<std::size_t> strategy;  // of those that have nothing in view
  std::optional<Work> work;             // of the systematic part
  Guide guide;                          // what the plan says of earlier executions
  bool is_first = false;                // of all: FewPreemptions begins with it
  std::optional<FewPreempted> few;
  bool circumstance = false;  // the plan allows one
  // Afterwards; nothing if it was cut off, or not even begun.
  std::optional<Execution> execution;
  KeptExecution kept;  // of `work`
  Observation shown;   // unless it is of `work`
};

// Where candidates have their steps, in the process of the executions.
std::set<std::uint64_t> places_of(const std::vector<AimList>& aims, const HuntState& state) {
  const std::vector<LoadedObject> loaded = parse_maps(state.workers.front()->maps());
  std::set<std::uint64_t> places;
  for (const AimList& list : aims)
    for (const AimSite& aim : place_aims(list, loaded))
      if (aim.role == AimRole::kStep) places.insert(aim.site);
  return places;
}

class HuntSearch {
 public:
  HuntSearch(HuntState& state, const std::vector<AimList>& aims)
      : state_(state),
        aims_(aims),
        fresh_(aims.size()),
        shares_(count_in(&StrategyEntry::in_hunts)),
        few_(places_of(aims, state)),
        uses_(state.uses),
        systematic_(std::in_place, state.options.plan, SearchOrder::kDpor),
        looks_(state),
        pool_(state.workers),
        loaded_(parse_maps(state.workers.front()->maps())),
        before_(state.result.executions) {}

  bool run() {
    // With one thread there is one schedule.
    if (result().threads <= 1 || result().inconclusive == result().executions) return true;
    while (!over()) {
      plan_round();
      execute_round();
      merge_round();
      if (state_.error) return false;
    }
    note_progress(1);
    return true;
  }

 private:
  HuntResult& result() { return state_.result; }
  std::uint64_t done_here() const { return state_.result.executions - before_; }

  // As long as there is no failure to minimize, the search has the whole budget.
  double search_end() const {
    return state_.groups.list().empty() ? state_.budget() : kSearchShare * state_.budget();
  }

  void note_progress(double share) {
    state_.note_progress(result().confirm, HuntPhase::kConfirm, done_here(),
                         result().candidates.size(), share);
  }

  // ---- When it is over ----

  // A race that profiling saw has not been brought about yet: that may make the program fail.
  static bool settled(const HuntFinding& one) {
    // One that was met is beyond aims_: nothing can have it in view.
    if (!one.candidate || one.tried >= kTries) return true;
    return one.level == FindingLevel::kConfirmed ? one.realised > 0 : !wants_look(one, false);
  }

  bool out_of_executions() const {
    return state_.options.executions > 0 && state_.result.executions >= state_.options.executions;
  }

  bool over() {
    if (state_.error || state_.stopped()) return true;
    if (out_of_executions() || state_.elapsed() > search_end()) {
      result().out_of_budget = true;
      return true;
    }
    if (!std::all_of(result().candidates.begin(), result().candidates.end(), settled)) return false;
    return state_.circumstances.settled() && nothing_new();
  }

  // More executions of any plan but one with a circumstance are not worth it.
  bool nothing_new() const {
    return covered() || (quiet_ >= kQuiet && state_.has_telling_failure());
  }

  // There is nothing left that could be new.
  bool covered() const { return covered_; }

  // What the systematic part has come to. Schedules of one kind differ in nothing that was seen; if
  // there is more to a program, they may differ all the same, and each is executed. What was not
  // seen may also make a difference between two that are the same: then random ones must have
  // stopped bringing new ones, too.
  void look_at_systematic() {
    if (covered_ || !systematic_->complete()) return;
    const bool each = systematic_->order() != SearchOrder::kDpor;
    if (!each && result().instrumented) {
      if (!no_later_races()) return;
    }
    result().covered = HuntCovered{systematic_->order(), systematic_->counts()};
    const bool seen = result().instrumented && result().unseen.empty() &&
                      out_of_control_by(state_.workers).clones == 0;
    if (seen || (each && saturated_)) {
      covered_ = true;
    } else if (!each) {
      systematic_.emplace(state_.options.plan, SearchOrder::kDfs);
    }
  }

  bool no_later_races() {
    const Result<LaterRaces::Found> found = later_races_.find(
        *state_.workers.front(), [this] { return state_.running(nullptr); },
        [this] { return state_.stopped() || state_.elapsed() > state_.budget(); }, state_.racing);
    if (!found) state_.error = found.error();
    if (found && *found == LaterRaces::Found::kPlaces) begin_again();
    return found && *found == LaterRaces::Found::kNothing;
  }

  // There are more decision points, and with them more schedules. They were few so far: perhaps
  // they are again, and everything is covered soon.
  void begin_again() {
    systematic_.emplace(state_.options.plan, SearchOrder::kDpor);
    in_order_first_ = kInOrderFirst;
    quiet_ = 0;
  }

  // ---- A round ----

  void plan_round() {
    tasks_.clear();
    if (done_here() == 0 && turn_ == 0) {
      tasks_.push_back({.plan = state_.plan_for(*find_strategy(kWithoutPreemption)),
                        .aims = state_.racing,
                        .is_first = true});
      ++turn_;
      return;
    }
    std::uint64_t size = std::clamp(done_here() / 2, kSmallestRound, kLargestRound);
    if (state_.options.executions > 0)
      size = std::min(size, state_.options.executions - state_.result.executions);
    while (tasks_.size() < size) {
      std::optional<Task> task = next();
      if (!task) break;
      tasks_.push_back(std::move(*task));
    }
  }

  // In turn: a candidate, and what has none in view. Nothing: it is better to wait for what the
  // round brings.
  std::optional<Task> next() {
    if (nothing_new()) {  // the rest could only repeat itself
      if (std::optional<Task> task = next_candidate(false)) return task;
      if (std::optional<Task> task = next_use()) return task;
      return state_.circumstances.settled() ? std::nullopt : next_circumstance();
    }
    const std::uint64_t turn = turn_++;
    if (turn % 2 == 0) {
      if (std::optional<Task> task = next_candidate(false)) return task;
      if (std::optional<Task> task = next_use()) return task;
      if (turn % 4 == 0)
        if (std::optional<Task> task = next_candidate(true)) return task;
    }
    if (turn <= kFewFirst)
      if (std::optional<Task> task = next_few()) return task;
    if (turn % kCircumstanceTurn == kCircumstanceTurn - 1)
      if (std::optional<Task> task = next_circumstance()) return task;
    const bool begins = done_here() + tasks_.size() >= kBeforeSystematic;
    const bool in_order = saturated_ || in_order_first_ > 0;
    if (begins && systematic_->goes_on() && (in_order || turn % kSystematicTurn == 0)) {
      if (std::optional<Task> task = next_systematic()) return task;
      if (in_order && !tasks_.empty()) return std::nullopt;
    }
    if (turn % 2 == 1)
      if (std::optional<Task> task = next_few()) return task;
    return next_open();
  }

  std::optional<Task> next_few() {
    std::optional<FewPreempted> few = few_.next();
    if (!few) return std::nullopt;
    Task task{.plan = state_.plan_for(*find_strategy(kWithoutPreemption)), .aims = state_.racing};
    task.plan.replay_turns = true;
    task.few = std::move(few);
    return task;
  }

  std::optional<Task> next_circumstance() {
    if (!state_.circumstances.any()) return std::nullopt;
    // Each kind with each strategy.
    const std::size_t turn = circumstances_++ / CircumstanceTurns::kKinds % kCircumstanceStrategies;
    Task task{.plan = state_.plan_for(strategy_at(&StrategyEntry::in_profiles, turn)),
              .aims = state_.racing,
              .circumstance = true};
    state_.circumstances.apply(task.plan, state_.expected_length());
    return task;
  }

  // `again`: of those that have had their tries, one that last led to a schedule never seen.
  // Perhaps the failure needs it to happen in another of many instances.
  std::optional<Task> next_candidate(bool again) {
    for (std::size_t i = 0; i < aims_.size(); ++i) {
      const std::size_t at = next_candidate_++ % aims_.size();
      HuntFinding& one = result().candidates[at];
      if (again ? !(one.candidate && fresh_[at]) : settled(one)) continue;
      ++one.tried;
      Task task{
          .plan = state_.plan_for(*strategy_confirming(entry_of(one.finding.kind).confirmed_by)),
          .aims = aims_[at],
          .candidate = at};
      task.plan.pattern = static_cast<std::uint8_t>(one.candidate->sought.pattern);
      return task;
    }
    return std::nullopt;
  }

  std::optional<Task> next_use() {
    const std::optional<std::size_t> number = uses_.next();
    if (!number) return std::nullopt;
    return Task{.plan = state_.plan_for(*strategy_confirming(Confirms::kLifetimes)),
                .aims = aims_for(uses_.candidate(*number), state_.racing),
                .use = number};
  }

  std::optional<Task> next_systematic() {
    Work work;
    if (!systematic_->next(work)) return std::nullopt;
    if (in_order_first_ > 0) --in_order_first_;
    Task task{.plan = systematic_->plan(), .aims = state_.racing};
    task.plan.seed = state_.seed++;
    task.work = std::move(work);
    return task;
  }

  std::optional<Task> next_open() {
    const std::size_t strategy = shares_.next();
    const StrategyEntry& entry = strategy_at(&StrategyEntry::in_hunts, strategy);
    Task task{.plan = state_.plan_for(entry), .aims = state_.racing, .strategy = strategy};
    task.guide = state_.feedback.next(entry, task.plan.seed);
    task.aims = with_guide(task.aims, task.guide, loaded_);
    // An unmodified program does not say what it does between two operations. So every other round
    // of strategies has more places to switch at.
    if (!result().instrumented && open_ / count_in(&StrategyEntry::in_hunts) % 2 == 1)
      task.plan.decide = DecideKind::kEvery;
    ++open_;
    return task;
  }

  void execute_round() {
    pool_.run(
        tasks_.size(),
        [this](Worker& worker, std::size_t number) { return execute(worker, tasks_[number]); },
        [this] { note_progress(std::min(0.999, state_.elapsed() / search_end())); });
  }

  // On any worker's thread: nothing but the task is changed.
  bool execute(Worker& worker, Task& task) {
    if (state_.stopped() || state_.elapsed() > search_end()) return false;
    RunOptions running = state_.running(task.aims);
    // One that began a little earlier does not take what is kept for minimizing.
    running.until = std::min(running.until, state_.at(search_end()));
    if (task.work) {
      Result<SystematicExecution> done =
          SystematicPart::execute(worker, task.plan, running, *task.work);
      if (!done) return failed_to_start(done.error());
      task.execution = std::move(done->execution);
      task.kept = std::move(done->kept);
    } else {
      const std::vector<StepRecord> turns =
          task.few ? guide_of(task.few->schedule) : std::vector<StepRecord>();
      Result<Execution> execution = worker.run(task.plan, turns, running);
      if (!execution) return failed_to_start(execution.error());
      task.execution = std::move(*execution);
      task.shown = observe(task.execution->log);
    }
    // Others came to their end.
    const bool cut_off = (state_.stopped() && task.execution->ended_by_host) ||
                         state_.is_cut_off(*task.execution, search_end());
    if (cut_off) task.execution.reset();
    return !cut_off;
  }

  bool failed_to_start(const std::string& error) {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = error;
    return false;
  }

  // ---- What came of it ----

  // In the order of plans, whoever was first: what the next round is depends on nothing else.
  void merge_round() {
    if (error_) {
      state_.error = error_;
      return;
    }
    std::vector<HuntLook> looks;
    std::set<std::size_t> looked;
    for (Task& task : tasks_) {
      if (task.execution) {
        merge(task, looks, looked);
      } else if (task.work) {
        systematic_->give_back(*task.work);
      }
    }
    pool_.run(
        looks.size(),
        [&](Worker& worker, std::size_t number) {
          looks_.look(worker, looks[number]);
          return true;
        },
        [this] { note_progress(std::min(0.999, state_.elapsed() / search_end())); });
    for (HuntLook& look : looks) add_look(look);
    if (window_ >= kWindow) {
      saturated_ = double(window_new_) <= kFewNew * double(window_);
      window_ = window_new_ = 0;
    }
    look_at_systematic();
  }

  // Adds to `looks`; one look a round at each candidate will do, see `looked`.
  void merge(Task& task, std::vector<HuntLook>& looks, std::set<std::size_t>& looked) {
    Execution& execution = *task.execution;
    if (task.circumstance) return merge_circumstance(execution);
    if (task.work && execution.kind == OutcomeKind::kDiverged) return merge_diverged(task);
    if (task.is_first) few_.begin(execution.log);
    if (task.few) few_.done(*task.few, execution.log);
    const bool fails = is_failing(execution.kind);
    HuntFinding* sought =
        task.candidate == kNoCandidate ? nullptr : &result().candidates[task.candidate];
    if (sought != nullptr && execution.realised.count > 0) ++sought->realised;
    if (task.work) systematic_->done(*task.work, task.kept, execution);
    const bool redundant = task.work && task.kept.explored.redundant;
    if (task.work && !redundant) later_races_.keep(execution);
    const bool is_new = state_.count(execution, sought, redundant);
    const bool shows_more =
        !task.work && state_.feedback.ended(task.guide, execution.log, task.shown) > 0;
    ++quiet_;
    if (sought != nullptr) fresh_[task.candidate] = is_new;
    const bool first_time = sought == nullptr || looked.insert(task.candidate).second;
    const bool wanted = task.use ? uses_.ended(*task.use, execution.realised.count > 0, fails)
                                 : first_time && looks_.wants(sought, execution, fails);
    if (sought != nullptr && first_time && !wanted) looked.erase(task.candidate);
    if (wanted) looks.push_back(look_at(task, fails));
    const bool new_failure = fails && state_.add_failing(std::move(execution));
    if (new_failure) quiet_ = 0;
    if (!task.strategy) return;
    shares_.add(*task.strategy, shows_more || new_failure);
    ++window_;
    if (is_new) ++window_new_;
  }

  // Something besides its threads decides what the program does next (a timer of the kernel, say).
  // Then schedules cannot be gone through in order, and none is claimed to be covered; for the
  // strategies that draw theirs it makes no difference.
  void merge_diverged(Task& task) {
    systematic_->done(*task.work, task.kept, *task.execution);
    state_.add_counts(*task.execution);
    ++quiet_;
  }

  // Nobody makes progress where time-outs come at any moment: that is no livelock of the program.
  void merge_circumstance(Execution& execution) {
    state_.count_circumstance(execution);
    ++quiet_;
    if (!is_failing(execution.kind) || execution.kind == OutcomeKind::kLivelock) return;
    if (state_.add_failing(std::move(execution))) quiet_ = 0;
  }

  HuntLook look_at(const Task& task, bool fails) {
    HuntLook look;
    look.index = task.candidate;
    look.use = task.use;
    if (task.use) look.candidate = uses_.candidate(*task.use);
    if (task.candidate != kNoCandidate)
      look.candidate = result().candidates[task.candidate].candidate;
    for (const HuntFinding& one : result().candidates)
      if (!one.candidate) look.met.insert(one.finding.place);
    look.execution = without_report(*task.execution);
    look.fails = fails;
    if (fails) look.group = describe(*task.execution, state_.symbols).group;
    return look;
  }

  void add_look(HuntLook& look) {
    if (!look.shown) return;
    if (look.use) uses_.shown(*look.use);
    for (Execution& failing : look.harm.failing) {
      state_.add_failing(std::move(failing));
      quiet_ = 0;
    }
    HuntFinding& one = look.index != kNoCandidate
                           ? result().candidates[look.index]
                           : met_finding(result().candidates, look.shown->finding);
    raise_level(one, *look.shown, look.harm.harm, std::move(look.execution), look.group);
    if (state_.options.journal != nullptr) state_.options.journal->found(one);
  }

  HuntState& state_;
  const std::vector<AimList>& aims_;
  std::vector<bool> fresh_;  // by candidate: its last execution had a schedule never seen
  StrategyShares shares_;
  FewPreemptions few_;
  UseTurns uses_;
  std::optional<SystematicPart> systematic_;
  LaterRaces later_races_;
  HuntLooks looks_;
  WorkerPool pool_;
  const std::vector<LoadedObject> loaded_;
  const std::uint64_t before_;  // executions of the phases before this one
  std::vector<Task> tasks_;     // of the round
  std::uint64_t turn_ = 0;
  std::size_t next_candidate_ = 0;
  std::size_t open_ = 0;
  std::size_t circumstances_ = 0;
  std::uint64_t quiet_ = 0;  // executions since the last new failure
  // Of executions with nothing in view, since the last look at them.
  std::uint64_t window_ = 0;
  std::uint64_t window_new_ = 0;
  bool saturated_ = false;
  std::uint64_t in_order_first_ = 0;  // so many executions, before anything else
  bool covered_ = false;

  std::mutex error_mutex_;
  std::optional<std::string> error_;  // guarded by it while workers run
};

}  // namespace

bool search(HuntState& state, const std::vector<AimList>& aims) {
  return HuntSearch(state, aims).run();
}

}  // namespace raddle
