#include "host/campaign/fuzz/fuzz.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>

#include "host/campaign/feedback/feedback_rounds.hpp"
#include "host/campaign/fuzz/candidate_tracker.hpp"
#include "host/process/aim_places.hpp"
#include "host/process/outcome.hpp"

namespace raddle {
namespace {

// So far may a fast worker run ahead of a slow one before it waits: bounds the memory.
constexpr std::uint64_t kMaxAhead = 4096;
constexpr std::chrono::milliseconds kProgressPeriod{100};
constexpr std::chrono::milliseconds kLeastTime{100};  // of one execution, at the end of the budget

double to_seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

// Hands out seeds and takes executions back, in any order; counts them in the order of seeds.
class Campaign {
 public:
  // `feedback`: null if the strategy learns nothing.
  Campaign(const FuzzOptions& options, Symbolizer& symbols, CandidateTracker& tracker,
           FeedbackRounds* feedback, Clock::time_point begin)
      : options_(options),
        symbols_(symbols),
        tracker_(tracker),
        feedback_(feedback),
        begin_(begin),
        next_(0),
        committed_(0) {}

  // The next seed to run; waits while this worker is too far ahead. None: there is no more to do.
  std::optional<std::uint64_t> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return over_ || stopping() || next_ >= end_ ||
             (next_ - committed_ < kMaxAhead && tracker_.may_start(next_) &&
              (feedback_ == nullptr || feedback_->may_start(next_)));
    });
    if (over_ || stopping() || next_ >= end_) return std::nullopt;
    return options_.first_seed + next_++;
  }

  // What the plan with this seed is to say of earlier executions; none: nothing is to be learnt.
  std::optional<Guide> guide_of(std::uint64_t seed) {
    if (feedback_ == nullptr) return std::nullopt;
    const std::lock_guard lock(mutex_);
    return feedback_->guide_of(seed - options_.first_seed);
  }

  void done(std::uint64_t seed, Execution execution, CandidateTracker::Look look) {
    // Not under the lock. A passed execution was asked for its log for nothing else.
    std::optional<Observation> shown;
    if (feedback_ != nullptr) {
      shown = observe(execution.log);
      if (execution.kind == OutcomeKind::kNone) execution.log = {};
    }
    const std::lock_guard lock(mutex_);
    const std::uint64_t index = seed - options_.first_seed;
    // No seed beyond this one can count any more; those below it still do.
    if (is_failing(execution.kind) && !options_.keep_going) end_ = std::min(end_, index + 1);
    pending_.emplace(index, Ended{std::move(execution), std::move(look), std::move(shown)});
    while (!pending_.empty() && pending_.begin()->first == committed_ && committed_ < end_) {
      Ended& next = pending_.begin()->second;
      if (next.shown) feedback_->ended(next.execution.log, *next.shown);
      commit(std::move(pending_.extract(pending_.begin()).mapped()));
      ++committed_;
    }
    changed_.notify_all();
  }

  // An execution that the budget cut off says nothing, unless there is no other.
  void cut_off(std::uint64_t seed, Execution execution, CandidateTracker::Look look) {
    {
      const std::lock_guard lock(mutex_);
      if (counts_.executions > 0 || !pending_.empty()) return;
    }
    set_outcome(execution, OutcomeKind::kLimit,
                fmt::format("the budget of {} ended before this execution did; --budget raises it",
                            duration_text(to_seconds(options_.budget))));
    done(seed, std::move(execution), std::move(look));
  }

  Clock::duration time_left() const {
    return options_.budget == Clock::duration{} ? Clock::duration::max()
                                                : options_.budget - (Clock::now() - begin_);
  }

  void fail(std::string error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    over_ = true;
    changed_.notify_all();
  }

  void worker_ended() {
    const std::lock_guard lock(mutex_);
    ++ended_;
    changed_.notify_all();
  }

  // Waits a little, or until that many workers have ended: then true.
  bool wait(std::size_t workers) {
    std::unique_lock lock(mutex_);
    const bool all = changed_.wait_for(lock, kProgressPeriod, [&] { return ended_ == workers; });
    if (stopping()) changed_.notify_all();
    return all;
  }

  FuzzCounts counts() {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

  const std::optional<std::string>& error() const { return error_; }

  // After all workers have ended.
  void move_into(FuzzResult& result) {
    // Interrupted: some seeds below these were dropped, but what ran has happened.
    for (auto& [index, ended] : pending_) {
      if (index < end_) commit(std::move(ended));
    }
    result.counts = counts_;
    result.findings = findings_.take();
    result.inconclusive = std::move(inconclusive_);
    result.misuses = std::move(misuses_);
    result.first_inconclusive = std::move(first_inconclusive_);
    result.interrupted = interrupted();
    result.out_of_budget = !result.interrupted && next_ < end_ && out_of_time();
  }

 private:
  bool interrupted() const { return options_.stop != nullptr && options_.stop->load(); }
  bool out_of_time() const { return time_left() <= Clock::duration{}; }
  bool stopping() const { return interrupted() || out_of_time(); }

  struct Ended {
    Execution execution;
    CandidateTracker::Look look;
    std::optional<Observation> shown;
  };

  void commit(Ended ended) {
    Execution& execution = ended.execution;
    tracker_.count(execution, std::move(ended.look));
    ++counts_.executions;
    counts_.steps += execution.steps;
    counts_.threads = std::max(counts_.threads, execution.threads);
    if (schedules_.insert(execution.log_hash).second) ++counts_.schedules;
    if (is_failing(execution.kind)) {
      ++counts_.failing;
      findings_.add(std::move(execution), symbols_);
      counts_.findings = findings_.list().size();
    } else if (execution.kind != OutcomeKind::kNone) {
      ++counts_.inconclusive;
      Failure failure = describe(execution, symbols_);
      add_note(inconclusive_, *failure.verdict, execution.plan.seed);
      if (!first_inconclusive_) keep_inconclusive(std::move(failure), std::move(execution));
    } else if (execution.report != nullptr) {
      for (const MisuseLine& misuse : describe(execution, symbols_).misuses) {
        add_note(misuses_, misuse, execution.plan.seed);
      }
    }
  }

  void keep_inconclusive(Failure failure, Execution execution) {
    FailureGroup& first = first_inconclusive_.emplace();
    first.failure = std::move(failure);
    first.count = 1;
    first.first_seed = execution.plan.seed;
    first.execution = std::move(execution);
  }

  const FuzzOptions& options_;
  Symbolizer& symbols_;
  CandidateTracker& tracker_;
  FeedbackRounds* const feedback_;  // guarded by mutex_
  const Clock::time_point begin_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Everything below is guarded by mutex_. Indices are seeds minus first_seed.
  std::uint64_t end_ = options_.executions;
  std::uint64_t next_;
  std::uint64_t committed_;  // all below are counted
  std::map<std::uint64_t, Ended> pending_;
  std::size_t ended_ = 0;
  bool over_ = false;
  std::optional<std::string> error_;
  FuzzCounts counts_;
  FailureGroups findings_;
  std::vector<VerdictNote> inconclusive_;
  std::optional<FailureGroup> first_inconclusive_;
  std::vector<MisuseNote> misuses_;
  std::unordered_set<std::uint64_t> schedules_;
};

void work(Worker& worker, const FuzzOptions& options, const CandidateTracker& tracker,
          Campaign& campaign) {
  const std::vector<LoadedObject> loaded = parse_maps(worker.maps());
  RunOptions running{.timeout = options.timeout, .aims = options.aims, .stop = options.stop};
  while (const std::optional<std::uint64_t> seed = campaign.take()) {
    Plan plan = options.plan;
    plan.seed = *seed;
    tracker.prepare(plan, running);
    if (const std::optional<Guide> guide = campaign.guide_of(*seed)) {
      running.aims = with_guide(options.aims, *guide, loaded);
      running.keep_log = true;
    }
    const Clock::duration left = std::max<Clock::duration>(campaign.time_left(), kLeastTime);
    const bool unlimited = options.timeout == Clock::duration{};
    const bool hurries = unlimited ? left != Clock::duration::max() : left < options.timeout;
    running.timeout = hurries ? left : options.timeout;
    Result<Execution> execution = worker.run(plan, {}, running);
    if (!execution) {
      campaign.fail(execution.error());
      break;
    }
    const bool stopped = options.stop != nullptr && options.stop->load();
    if (stopped && execution->ended_by_host) break;
    const RunOptions replaying{.timeout = options.timeout, .stop = options.stop};
    Result<CandidateTracker::Look> look = tracker.look(worker, *execution, replaying);
    if (!look) {
      campaign.fail(look.error());
      break;
    }
    if (hurries && execution->kind == OutcomeKind::kLimit &&
        execution->seconds >= to_seconds(left)) {
      campaign.cut_off(*seed, std::move(*execution), std::move(*look));
      break;
    }
    campaign.done(*seed, std::move(*execution), std::move(*look));
  }
  campaign.worker_ended();
}

// For a strategy that must know something of executions before the first: one tells.
Result<Execution> plain_execution(Worker& worker, const FuzzOptions& options) {
  Plan plan = options.plan;
  set_strategy(plan, kPlainStrategy);
  plan.seed = options.first_seed;
  return worker.run(
      plan, {},
      {.timeout = options.timeout, .keep_log = true, .aims = options.aims, .stop = options.stop});
}

}  // namespace

Result<FuzzResult> fuzz(const Workers& workers, const FuzzOptions& given, Symbolizer& symbols,
                        const FuzzProgress& progress) {
  const Clock::time_point begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  FuzzOptions options = given;
  FuzzResult result;
  CandidateTracker tracker(options);
  const Result<AimList> aims = tracker.profile(*workers.front());
  if (!aims) return Error{aims.error()};
  result.profile_seconds = seconds();
  options.aims = *aims;
  result.aims = options.aims;
  const StrategyEntry* strategy = strategy_of(options.plan);
  std::optional<FeedbackRounds> feedback;
  if (strategy != nullptr && strategy->learns != Learns::kNothing)
    feedback.emplace(*strategy, options.first_seed);
  if (options.measure_length || feedback) {
    Result<Execution> plain = plain_execution(*workers.front(), options);
    if (!plain) return Error{plain.error()};
    if (feedback) feedback->learn(plain->log);
    if (options.measure_length)
      options.plan.pct_steps = result.pct_steps = std::max<std::uint64_t>(plain->steps, 1);
  }

  if (tracker.confirms()) result.pursues = strategy->confirms;
  result.profiled = tracker.profiled();
  result.instrumented = workers.front()->instrumented();
  if (tracker.confirms() && !tracker.has_candidates()) options.executions = 0;

  Campaign campaign(options, symbols, tracker, feedback ? &*feedback : nullptr, begin);
  std::vector<std::thread> threads;
  threads.reserve(workers.size());
  for (const auto& worker : workers) {
    threads.emplace_back([&] { work(*worker, options, tracker, campaign); });
  }
  while (!campaign.wait(workers.size())) progress(campaign.counts(), seconds());
  for (std::thread& thread : threads) thread.join();
  if (campaign.error()) return Error{*campaign.error()};

  result.seconds = seconds();
  campaign.move_into(result);
  for (FailureGroup& finding : result.findings)
    replay_and_explain(finding, *workers.front(), last_look(options.timeout, options.stop),
                       symbols);
  result.observed = tracker.observed();
  result.atomicity = tracker.atomicity();
  result.pursued = tracker.take();
  result.out_of_control = out_of_control_by(workers);
  return result;
}

}  // namespace raddle
