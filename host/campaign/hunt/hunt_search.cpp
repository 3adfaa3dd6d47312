#include "host/campaign/hunt/hunt_search.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/harm/harm_looks.hpp"
#include "host/campaign/hunt/hunt_findings.hpp"
#include "host/process/outcome.hpp"
#include "protocol/atom_marks.hpp"

namespace raddle {
namespace {

constexpr std::chrono::milliseconds kWatchPeriod{100};
// Executions that a candidate gets. A strategy that brings it about needs one or two; one that
// needs more than this many would be lucky.
constexpr std::uint64_t kTries = 60;
// After a failure, executions without a new one before the hunt is over.
constexpr std::uint64_t kQuiet = 400;
// Of executions in which `atom` says that it created a violation, so many are looked at.
constexpr std::uint64_t kMostAtomLooks = 40;
constexpr std::size_t kMostAtomMarks = 200;  // sets of violations that are looked at besides
// Of the budget, once something failed: profile and confirm together; the rest is for minimizing.
constexpr double kSearchShare = 0.8;
constexpr std::size_t kNoCandidate = ~std::size_t{0};

struct Task {
  Plan plan{};
  AimList aims;
  std::size_t candidate = kNoCandidate;
};

class HuntSearch {
 public:
  HuntSearch(HuntState& state, const std::vector<AimList>& aims) : state_(state), aims_(aims) {}

  bool run() {
    // With one thread there is one schedule.
    if (state_.result.threads <= 1 || state_.result.inconclusive == state_.result.executions)
      return true;
    const std::uint64_t before = state_.result.executions;
    std::vector<std::thread> threads;
    for (const auto& worker : state_.workers) {
      threads.emplace_back([this, &worker] { work(*worker); });
    }
    for (bool all = false; !all;) {
      std::unique_lock lock(mutex_);
      all = changed_.wait_for(lock, kWatchPeriod, [&] { return ended_ == state_.workers.size(); });
      const double share = std::min(0.999, state_.elapsed() / search_end());
      state_.note_progress(state_.result.confirm, HuntPhase::kConfirm,
                           state_.result.executions - before, state_.result.candidates.size(),
                           share);
    }
    for (std::thread& thread : threads) thread.join();
    if (state_.error) return false;
    state_.note_progress(state_.result.confirm, HuntPhase::kConfirm,
                         state_.result.executions - before, state_.result.candidates.size(), 1);
    return true;
  }

 private:
  void work(Worker& worker) {
    while (const std::optional<Task> task = next()) {
      Result<Execution> execution = worker.run(task->plan, {}, state_.running(task->aims));
      if (!execution) {
        const std::lock_guard lock(mutex_);
        if (!state_.error) state_.error = execution.error();
        break;
      }
      if (state_.stopped() && execution->ended_by_host) break;
      if (state_.is_cut_off(*execution)) break;  // others came to their end
      done(worker, *task, std::move(*execution));
    }
    const std::lock_guard lock(mutex_);
    ++ended_;
    changed_.notify_all();
  }

  // A race that profiling saw has not been brought about yet: that may make the program fail.
  bool settled(const HuntFinding& one) const {
    // One that was met is beyond aims_: nothing can have it in view.
    if (!one.candidate || one.tried >= kTries) return true;
    return one.level == FindingLevel::kConfirmed ? one.realised > 0 : !wants_look(one, false);
  }

  // As long as there is no failure to minimize, the search has the whole budget.
  double search_end() const {
    return state_.groups.list().empty() ? state_.budget() : kSearchShare * state_.budget();
  }

  bool over() {
    if (state_.error || state_.stopped()) return true;
    if (state_.elapsed() > search_end()) {
      state_.result.out_of_budget = true;
      return true;
    }
    const bool candidates_done =
        std::all_of(state_.result.candidates.begin(), state_.result.candidates.end(),
                    [this](const HuntFinding& one) { return settled(one); });
    return candidates_done && !state_.groups.list().empty() && quiet_ >= kQuiet;
  }

  // In turn: a candidate, and a strategy that has none in view.
  std::optional<Task> next() {
    const std::lock_guard lock(mutex_);
    if (over()) return std::nullopt;
    if (turn_++ % 2 == 0) {
      for (std::size_t i = 0; i < aims_.size(); ++i) {
        const std::size_t at = next_candidate_++ % aims_.size();
        HuntFinding& one = state_.result.candidates[at];
        if (settled(one)) continue;
        ++one.tried;
        Task task{state_.plan_for(*strategy_confirming(entry_of(one.finding.kind).confirmed_by)),
                  aims_[at], at};
        task.plan.pattern = static_cast<std::uint8_t>(one.candidate->sought.pattern);
        return task;
      }
    }
    Task task{state_.plan_for(strategy_at(&StrategyEntry::in_hunts, open_)), state_.racing};
    // An unmodified program does not say what it does between two operations. So every other round
    // has more places to switch at.
    if (!state_.result.instrumented && open_ / count_in(&StrategyEntry::in_hunts) % 2 == 1)
      task.plan.decide = DecideKind::kEvery;
    ++open_;
    return task;
  }

  void done(Worker& worker, const Task& task, Execution execution) {
    std::unique_lock lock(mutex_);
    const bool fails = is_failing(execution.kind);
    const bool realised = execution.realised.count > 0;
    HuntFinding* sought =
        task.candidate == kNoCandidate ? nullptr : &state_.result.candidates[task.candidate];
    if (sought != nullptr && realised) ++sought->realised;
    state_.count(execution, sought);
    ++quiet_;
    const bool look = realised && is_worth_it(task, execution, fails);
    Execution copy;
    std::string group;
    if (look) copy = without_report(execution);
    if (fails) {
      if (look) group = describe(execution, state_.symbols).group;
      if (state_.add_failing(std::move(execution))) quiet_ = 0;
    }
    if (!look) return;
    std::optional<Candidate> candidate;
    if (task.candidate != kNoCandidate)
      candidate = state_.result.candidates[task.candidate].candidate;
    std::set<std::uint64_t> met;  // one that comes often is not to hide another
    for (const HuntFinding& one : state_.result.candidates)
      if (!one.candidate) met.insert(one.finding.place);
    lock.unlock();
    const Result<Confirmation> confirmation =
        candidate
            ? confirm_candidate(worker, *candidate, copy, state_.running(nullptr))
            : confirm_violation(worker, copy, state_.running(nullptr), state_.options.wants, met);
    if (!confirmation || !confirmation->confirmed) return;
    HarmChecked harm;
    Confirmation shown = *confirmation;
    if (!fails && rests_on_inference(confirmation->finding))
      harm = harm_of(worker, candidate, copy, shown);
    lock.lock();
    for (Execution& failing : harm.failing) state_.add_failing(std::move(failing));
    if (!harm.failing.empty()) quiet_ = 0;
    HuntFinding& one = task.candidate != kNoCandidate
                           ? state_.result.candidates[task.candidate]
                           : met_finding(state_.result.candidates, confirmation->finding);
    raise_level(one, shown, harm.harm, std::move(copy), group);
    if (state_.options.journal != nullptr) state_.options.journal->found(one);
  }

  // Of a confirmed violation that did not fail. If it does harm, `execution` and `confirmation`
  // become those of the shorter execution that showed it.
  HarmChecked harm_of(Worker& worker, const std::optional<Candidate>& candidate,
                      Execution& execution, Confirmation& confirmation) {
    HarmChecked checked =
        harm_looks_.look(worker, confirmation.finding, execution, state_.running(nullptr),
                         state_.options.plan, state_.racing);
    if (!checked.harm.found || checked.interleaved.log.empty()) return checked;
    const Result<Confirmation> again =
        candidate
            ? confirm_candidate(worker, *candidate, checked.interleaved, state_.running(nullptr))
            : confirm_violation(worker, checked.interleaved, state_.running(nullptr));
    if (again && again->confirmed && again->finding.place == confirmation.finding.place) {
      confirmation = *again;
      execution = without_report(checked.interleaved);
    }
    return checked;
  }

  bool is_worth_it(const Task& task, const Execution& execution, bool fails) {
    if (task.candidate == kNoCandidate) {
      const bool is_new = atom_marks_.size() < kMostAtomMarks &&
                          atom_marks_.insert(execution.realised.steps[kViolatedMark]).second;
      return fails || is_new || atom_looks_++ < kMostAtomLooks;
    }
    return wants_look(state_.result.candidates[task.candidate], fails);
  }

  HuntState& state_;
  const std::vector<AimList>& aims_;
  HarmLooks harm_looks_{state_.begin};

  std::mutex mutex_;
  std::condition_variable changed_;
  // While workers run, state_ and everything below is guarded by mutex_.
  std::uint64_t turn_ = 0;
  std::size_t next_candidate_ = 0;
  std::size_t open_ = 0;
  std::uint64_t quiet_ = 0;  // executions since the last new failure
  std::uint64_t atom_looks_ = 0;
  std::set<std::uint64_t> atom_marks_;  // protocol/atom_marks.hpp
  std::size_t ended_ = 0;
};

}  // namespace

bool search(HuntState& state, const std::vector<AimList>& aims) {
  return HuntSearch(state, aims).run();
}

}  // namespace raddle
