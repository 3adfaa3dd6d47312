#include "host/campaign/hunt/hunt.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_set>
#include <utility>

#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/harm/harm_looks.hpp"
#include "host/campaign/hunt/hunt_findings.hpp"
#include "host/campaign/hunt/hunt_minimize.hpp"
#include "host/campaign/hunt/hunt_witnesses.hpp"
#include "host/campaign/profile/profile.hpp"
#include "host/process/outcome.hpp"
#include "protocol/atom_marks.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr std::chrono::milliseconds kWatchPeriod{100};
// Profiling ends after so many executions in a row that showed nothing new, or so many in all.
constexpr unsigned kQuietProfile = 6;
constexpr unsigned kLeastProfile = 12;
constexpr unsigned kMostProfile = 60;
// Executions that a candidate gets. A strategy that brings it about needs one or two; one that
// needs more than this many would be lucky.
constexpr std::uint64_t kTries = 60;
// After a failure, executions without a new one before the hunt is over.
constexpr std::uint64_t kQuiet = 400;
// Of races that profiling saw happen, so many are shown with the execution that shows them.
constexpr std::size_t kMostSeenRaces = 50;
// Of executions in which `atom` says that it created a violation, so many are looked at.
constexpr std::uint64_t kMostAtomLooks = 40;
constexpr std::size_t kMostAtomMarks = 200;  // sets of violations that are looked at besides
constexpr double kProfileShare = 0.2;        // of the budget, at most
constexpr double kPredictShare = 0.2;        // the same
// Of the budget, once something failed: profile and confirm together; the rest is for minimizing.
constexpr double kSearchShare = 0.8;
constexpr std::size_t kNoCandidate = ~std::size_t{0};
constexpr std::uint64_t kGuessedLength = 1000;

struct Task {
  Plan plan{};
  AimList aims;
  std::size_t candidate = kNoCandidate;
};

class Hunt {
 public:
  Hunt(const Workers& workers, const HuntOptions& options, Symbolizer& symbols,
       const HuntWatcher& watcher)
      : workers_(workers), options_(options), symbols_(symbols), watcher_(watcher) {
    seed_ = options.first_seed;
  }

  Result<HuntResult> run() {
    result_.instrumented = workers_.front()->instrumented();
    result_.unseen = unseen_code(workers_.front()->maps());
    if (!profile()) return Error{*error_};
    if (!try_witnesses()) return Error{*error_};
    if (!search()) return Error{*error_};
    if (!minimize_all()) return Error{*error_};
    for (FoundMisuse& misuse : result_.misuses) {
      explain(misuse, *workers_.front(), last_look(time_limit(), options_.stop), symbols_);
    }
    finish();
    result_.out_of_control = out_of_control_by(workers_);
    return std::move(result_);
  }

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  double elapsed() const { return seconds_since(begin_); }
  static double seconds_since(Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  }
  double budget() const { return std::chrono::duration<double>(options_.budget).count(); }

  // No execution outlives the budget by much.
  Clock::duration time_limit() const {
    const auto left = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::max(kLeastTime, budget() - elapsed())));
    const bool limited = options_.timeout != Clock::duration{};
    return limited ? std::min(options_.timeout, left) : left;
  }

  RunOptions running(const AimList& aims) const {
    RunOptions options;
    options.timeout = time_limit();
    options.stop = options_.stop;
    options.aims = aims;
    options.keep_log = true;
    return options;
  }

  std::uint64_t expected_length() const {
    return result_.executions == 0 ? kGuessedLength : result_.steps / result_.executions + 1;
  }

  Plan plan_for(const StrategyEntry& strategy) {
    Plan plan = options_.plan;
    set_strategy(plan, strategy.name);
    plan.seed = seed_++;
    if (!strategy.uses_blocks) plan.atomic_blocks = 0;
    plan.pct_steps = expected_length();
    return plan;
  }

  // ---- Profile ----

  bool profile() {
    Worker& worker = *workers_.front();
    Candidates candidates(worker.maps(), {.joint = options_.joint, .wants = options_.wants});
    ProfileOptions profiling{.plan = options_.plan,
                             .first_seed = options_.first_seed,
                             .quiet = kQuietProfile,
                             .at_least = kLeastProfile,
                             .at_most = kMostProfile,
                             .stop = options_.stop,
                             .strategies = count_in(&StrategyEntry::in_profiles)};
    profiling.until = begin_ + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(kProfileShare * budget()));
    profiling.before = [this](Plan& plan, RunOptions& options) {
      plan.pct_steps = expected_length();
      options.timeout = time_limit();
      options.keep_log = true;
      seed_ = plan.seed + 1;
    };
    std::vector<Execution> shown_by;  // of each candidate, if it is a race that happened
    profiling.after = [this, &candidates, &shown_by](Execution execution) {
      count(execution);
      for (std::size_t i = shown_by.size(); i < candidates.list().size(); ++i) {
        const FindingKind kind = candidates.list()[i].sought.kind;
        const bool happened = entry_of(kind).confirmed_by == Confirms::kRaces;
        shown_by.push_back(happened && i < kMostSeenRaces ? without_report(execution)
                                                          : Execution{});
      }
      if (is_failing(execution.kind)) add_failing(std::move(execution));
      const std::uint64_t done = result_.executions;
      note_progress(result_.profile, HuntPhase::kProfile, done, candidates.list().size(),
                    std::min(0.999, double(done) / kLeastProfile));
    };
    const Result<unsigned> done = raddle::profile(worker, profiling, candidates);
    if (!done) {
      error_ = done.error();
      return false;
    }
    racing_ = candidates.aims();
    for (std::size_t i = 0; i < candidates.list().size(); ++i) {
      result_.candidates.push_back(predicted_finding(candidates.list()[i], options_.known));
      if (!shown_by[i].log.empty()) see_race(worker, result_.candidates.back(), shown_by[i]);
      if (options_.journal != nullptr) options_.journal->found(result_.candidates.back());
    }
    std::stable_sort(result_.candidates.begin(), result_.candidates.end(), comes_first);
    for (const HuntFinding& one : result_.candidates) {
      aims_.push_back(aims_for(*one.candidate, racing_));
    }
    note_progress(result_.profile, HuntPhase::kProfile, *done, result_.candidates.size(), 1);
    return true;
  }

  // A race that the detector saw happen is certain, whatever else becomes of it. An execution that
  // fails is known by its failure, and tells less of the race.
  void see_race(Worker& worker, HuntFinding& one, const Execution& execution) {
    if (stopped() || is_failing(execution.kind)) return;
    const Result<Confirmation> seen =
        confirm_candidate(worker, *one.candidate, execution, running(nullptr));
    if (seen && seen->confirmed) raise_level(one, *seen, {}, without_report(execution), {});
  }

  // The hunt's time was over, not the execution's own.
  bool is_cut_off(const Execution& execution) const {
    const double own = std::chrono::duration<double>(options_.timeout).count();
    return execution.kind == OutcomeKind::kLimit && elapsed() >= budget() &&
           (own == 0 || execution.seconds < own);
  }

  void count(Execution& execution, const HuntFinding* candidate = nullptr) {
    if (is_cut_off(execution)) {
      set_outcome(execution, OutcomeKind::kLimit,
                  "the hunt's time was over before the execution was; raise --budget, or lower "
                  "--timeout so that an execution that hangs does not take all of it");
    }
    ++result_.executions;
    result_.steps += execution.steps;
    result_.threads = std::max(result_.threads, execution.threads);
    if (schedules_.insert(execution.log_hash).second) ++result_.schedules;
    if (options_.journal != nullptr) options_.journal->executed(execution, candidate);
    if (execution.kind == OutcomeKind::kNone && execution.report != nullptr) {
      const std::size_t before = result_.misuses.size();
      add_misuses(result_.misuses, execution, symbols_);
      for (std::size_t i = before; options_.journal != nullptr && i < result_.misuses.size(); ++i)
        options_.journal->misused(result_.misuses[i]);
    }
    if (execution.kind == OutcomeKind::kNone || is_failing(execution.kind)) return;
    if (stopped() && execution.ended_by_host) return;
    ++result_.inconclusive;
    Failure failure = describe(execution, symbols_);
    add_note(result_.inconclusive_reasons, *failure.verdict, execution.plan.seed);
    if (result_.first_inconclusive) return;
    FailureGroup& first = result_.first_inconclusive.emplace();
    first.failure = std::move(failure);
    first.count = 1;
    first.first_seed = execution.plan.seed;
    first.execution = without_report(execution);
  }

  void add_failing(Execution execution) {
    const FailureGroup& group = groups_.add(std::move(execution), symbols_);
    if (options_.journal != nullptr) options_.journal->failed(group);
  }

  void note_progress(HuntCounts& counts, HuntPhase phase, std::uint64_t executions,
                     std::uint64_t candidates, double share) {
    counts.phase = phase;
    counts.executions = executions;
    counts.candidates = candidates;
    counts.confirmed = static_cast<std::uint64_t>(
        std::count_if(result_.candidates.begin(), result_.candidates.end(),
                      [](const HuntFinding& one) { return one.level >= FindingLevel::kHarmful; }));
    counts.failing = groups_.list().size();
    counts.seconds = seconds_since(phase_begin_);
    counts.share = share;
    watcher_(counts);
    if (share >= 1) phase_begin_ = Clock::now();
  }

  // ---- Predict ----

  bool try_witnesses() {
    if (options_.predicting == nullptr || result_.threads <= 1 || stopped()) return true;
    const double seconds =
        std::max(kPredictShare * budget(), std::min(kLeastPredict, kMostPredictShare * budget()));
    const auto share =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    Result<PredictResult> predicted =
        predict_for_hunt(options_, running(nullptr), Clock::now() + share);
    if (!predicted) {
      error_ = predicted.error();
      return false;
    }
    result_.predicted = {predicted->queries,
                         predicted->unknown,
                         predicted->witnesses,
                         predicted->unconfirmed,
                         predicted->findings.size() + predicted->failing.size(),
                         predicted->too_late,
                         predicted->problem,
                         predicted->divergence};
    const std::uint64_t executions = predicted->recordings + predicted->witnesses;
    result_.executions += executions;
    result_.steps += predicted->steps * executions;
    write_down_witnesses(*predicted, executions);
    for (Execution& execution : predicted->failing) add_failing_witness(std::move(execution));
    std::map<std::uint64_t, FindingLevel> before;
    for (const HuntFinding& one : result_.candidates) before[one.key] = one.level;
    for (PredictedFinding& one : predicted->findings)
      add_witness(result_.candidates, std::move(one));
    for (const HuntFinding& one : result_.candidates) {
      const auto known = before.find(one.key);
      const bool rose = known == before.end() || known->second < one.level;
      if (rose && options_.journal != nullptr) options_.journal->found(one);
    }
    return true;
  }

  // The journal counts what was executed: of those that passed no more than their number and length
  // is known here.
  void write_down_witnesses(const PredictResult& predicted, std::uint64_t executions) {
    if (options_.journal == nullptr) return;
    for (const Execution& failing : predicted.failing) options_.journal->executed(failing, nullptr);
    Execution passed;
    passed.plan = options_.plan;
    passed.plan.seed = options_.first_seed;
    passed.steps = predicted.steps;
    for (std::uint64_t i = predicted.failing.size(); i < executions; ++i)
      options_.journal->executed(passed, nullptr);
  }

  // A deadlock, mostly: the candidate of that cycle is what it shows.
  void add_failing_witness(Execution execution) {
    for (HuntFinding& one : result_.candidates) {
      if (!one.candidate || entry_of(one.finding.kind).confirmed_by != Confirms::kDeadlocks ||
          one.level != FindingLevel::kCandidate)
        continue;
      const Result<Confirmation> seen =
          confirm_candidate(*options_.predicting, *one.candidate, execution, running(nullptr));
      if (!seen || !seen->confirmed) continue;
      ++one.tried;
      ++one.realised;
      raise_level(one, *seen, {}, without_report(execution), describe(execution, symbols_).group);
    }
    add_failing(std::move(execution));
  }

  // ---- Confirm ----

  bool search() {
    // With one thread there is one schedule.
    if (result_.threads <= 1 || result_.inconclusive == result_.executions) return true;
    const std::uint64_t before = result_.executions;
    std::vector<std::thread> threads;
    for (const auto& worker : workers_) {
      threads.emplace_back([this, &worker] { work(*worker); });
    }
    for (bool all = false; !all;) {
      std::unique_lock lock(mutex_);
      all = changed_.wait_for(lock, kWatchPeriod, [&] { return ended_ == workers_.size(); });
      const double share = std::min(0.999, elapsed() / search_end());
      note_progress(result_.confirm, HuntPhase::kConfirm, result_.executions - before,
                    result_.candidates.size(), share);
    }
    for (std::thread& thread : threads) thread.join();
    if (error_) return false;
    note_progress(result_.confirm, HuntPhase::kConfirm, result_.executions - before,
                  result_.candidates.size(), 1);
    return true;
  }

  void work(Worker& worker) {
    while (const std::optional<Task> task = next()) {
      Result<Execution> execution = worker.run(task->plan, {}, running(task->aims));
      if (!execution) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = execution.error();
        break;
      }
      if (stopped() && execution->ended_by_host) break;
      if (is_cut_off(*execution)) break;  // others came to their end
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
  double search_end() const { return groups_.list().empty() ? budget() : kSearchShare * budget(); }

  bool over() {
    if (error_ || stopped()) return true;
    if (elapsed() > search_end()) {
      result_.out_of_budget = true;
      return true;
    }
    const bool candidates_done =
        std::all_of(result_.candidates.begin(), result_.candidates.end(),
                    [this](const HuntFinding& one) { return settled(one); });
    return candidates_done && !groups_.list().empty() && quiet_ >= kQuiet;
  }

  // In turn: a candidate, and a strategy that has none in view.
  std::optional<Task> next() {
    const std::lock_guard lock(mutex_);
    if (over()) return std::nullopt;
    if (turn_++ % 2 == 0) {
      for (std::size_t i = 0; i < aims_.size(); ++i) {
        const std::size_t at = next_candidate_++ % aims_.size();
        HuntFinding& one = result_.candidates[at];
        if (settled(one)) continue;
        ++one.tried;
        Task task{plan_for(*strategy_confirming(entry_of(one.finding.kind).confirmed_by)),
                  aims_[at], at};
        task.plan.pattern = static_cast<std::uint8_t>(one.candidate->sought.pattern);
        return task;
      }
    }
    Task task{plan_for(strategy_at(&StrategyEntry::in_hunts, open_)), racing_};
    // An unmodified program does not say what it does between two operations. So every other round
    // has more places to switch at.
    if (!result_.instrumented && open_ / count_in(&StrategyEntry::in_hunts) % 2 == 1)
      task.plan.decide = DecideKind::kEvery;
    ++open_;
    return task;
  }

  void done(Worker& worker, const Task& task, Execution execution) {
    std::unique_lock lock(mutex_);
    const bool fails = is_failing(execution.kind);
    const bool realised = execution.realised.count > 0;
    HuntFinding* sought =
        task.candidate == kNoCandidate ? nullptr : &result_.candidates[task.candidate];
    if (sought != nullptr && realised) ++sought->realised;
    count(execution, sought);
    ++quiet_;
    const bool look = realised && is_worth_it(task, execution, fails);
    Execution copy;
    std::string group;
    if (look) copy = without_report(execution);
    if (fails) {
      if (look) group = describe(execution, symbols_).group;
      const std::size_t before = groups_.list().size();
      add_failing(std::move(execution));
      if (groups_.list().size() != before) quiet_ = 0;
    }
    if (!look) return;
    std::optional<Candidate> candidate;
    if (task.candidate != kNoCandidate) candidate = result_.candidates[task.candidate].candidate;
    std::set<std::uint64_t> met;  // one that comes often is not to hide another
    for (const HuntFinding& one : result_.candidates)
      if (!one.candidate) met.insert(one.finding.place);
    lock.unlock();
    const Result<Confirmation> confirmation =
        candidate ? confirm_candidate(worker, *candidate, copy, running(nullptr))
                  : confirm_violation(worker, copy, running(nullptr), options_.wants, met);
    if (!confirmation || !confirmation->confirmed) return;
    HarmChecked harm;
    Confirmation shown = *confirmation;
    if (!fails && rests_on_inference(confirmation->finding))
      harm = harm_of(worker, candidate, copy, shown);
    lock.lock();
    for (Execution& failing : harm.failing) add_failing(std::move(failing));
    if (!harm.failing.empty()) quiet_ = 0;
    HuntFinding& one = task.candidate != kNoCandidate
                           ? result_.candidates[task.candidate]
                           : met_finding(result_.candidates, confirmation->finding);
    raise_level(one, shown, harm.harm, std::move(copy), group);
    if (options_.journal != nullptr) options_.journal->found(one);
  }

  // Of a confirmed violation that did not fail. If it does harm, `execution` and `confirmation`
  // become those of the shorter execution that showed it.
  HarmChecked harm_of(Worker& worker, const std::optional<Candidate>& candidate,
                      Execution& execution, Confirmation& confirmation) {
    HarmChecked checked = harm_looks_.look(worker, confirmation.finding, execution,
                                           running(nullptr), options_.plan, racing_);
    if (!checked.harm.found || checked.interleaved.log.empty()) return checked;
    const Result<Confirmation> again =
        candidate ? confirm_candidate(worker, *candidate, checked.interleaved, running(nullptr))
                  : confirm_violation(worker, checked.interleaved, running(nullptr));
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
    return wants_look(result_.candidates[task.candidate], fails);
  }

  // ---- Minimize ----

  bool minimize_all() {
    std::vector<FailureGroup> groups = groups_.take();
    const double end = std::max(budget(), elapsed() + kLeastMinimize);
    std::size_t left = groups.size();
    for (FailureGroup& group : groups) {
      HuntFailure failure;
      failure.known = std::find(options_.known_failures.begin(), options_.known_failures.end(),
                                group.failure.group) != options_.known_failures.end();
      failure.group = std::move(group);
      const double share = std::max(kLeastTime, (end - elapsed()) / double(left--));
      const Result<std::uint64_t> executions =
          minimize_failure(*workers_.front(), options_, symbols_, share, failure);
      if (!executions) {
        error_ = executions.error();
        return false;
      }
      result_.minimize.executions += *executions;
      result_.failures.push_back(std::move(failure));
      note_minimizing(groups.size());
    }
    result_.minimize.share = 1;
    return true;
  }

  void note_minimizing(std::size_t of) {
    HuntCounts& counts = result_.minimize;
    counts.phase = HuntPhase::kMinimize;
    counts.failing = result_.failures.size();
    counts.seconds = seconds_since(phase_begin_);
    counts.share = double(result_.failures.size()) / double(of);
    watcher_(counts);
  }

  void finish() {
    result_.interrupted = stopped();
    result_.next_seed = seed_;
    std::stable_sort(result_.candidates.begin(), result_.candidates.end(), comes_first);
    std::stable_sort(result_.failures.begin(), result_.failures.end(), is_simpler);
  }

  static constexpr double kLeastMinimize = 1.5;  // seconds for all, also when the budget is used up
  static constexpr double kLeastPredict = 5;     // seconds, or so much of a small budget:
  static constexpr double kMostPredictShare = 0.3;
  static constexpr double kLeastTime = 0.25;  // seconds, of an execution at the end of the budget

  const Workers& workers_;
  const HuntOptions& options_;
  Symbolizer& symbols_;
  const HuntWatcher& watcher_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point phase_begin_ = begin_;
  std::optional<std::string> error_;
  AimList racing_;  // accesses that are decision points in every execution

  HarmLooks harm_looks_{begin_};

  std::mutex mutex_;
  std::condition_variable changed_;
  // While workers run, everything below and symbols_ are guarded by mutex_.
  HuntResult result_;
  FailureGroups groups_;
  std::vector<AimList> aims_;  // of the first candidates
  std::unordered_set<std::uint64_t> schedules_;
  std::uint64_t seed_ = 1;
  std::uint64_t turn_ = 0;
  std::size_t next_candidate_ = 0;
  std::size_t open_ = 0;
  std::uint64_t quiet_ = 0;  // executions since the last new failure
  std::uint64_t atom_looks_ = 0;
  std::set<std::uint64_t> atom_marks_;  // protocol/atom_marks.hpp
  std::size_t ended_ = 0;
};

}  // namespace

Result<HuntResult> hunt(const Workers& workers, const HuntOptions& options, Symbolizer& symbols,
                        const HuntWatcher& watcher) {
  return Hunt(workers, options, symbols, watcher).run();
}

}  // namespace raddle
