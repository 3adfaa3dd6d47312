#include "host/explore/explore.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "host/explore/journal.hpp"

namespace raddle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kProgressPeriod{100};
// The estimate walks over the tree: rarely when that is large.
constexpr std::size_t kLargeTree = 100'000;
constexpr std::chrono::seconds kLargeTreePeriod{5};

class Exploration {
 public:
  Exploration(const ExploreOptions& options, const ExploreEvents& events)
      : options_(options), events_(events), search_(options.search) {}

  Result<bool> resume() {
    if (options_.journal == nullptr) return true;
    return options_.journal->resume(search_);
  }

  // One executor's share. With `alone` it also tells of the progress.
  void run(Executor& executor, std::size_t index, bool alone) {
    Work work;
    while (take(work)) {
      const Explored* execution = executor.execute(work.request());
      const std::lock_guard lock(mutex_);
      if (execution == nullptr) {
        if (!error_) error_ = std::string(executor.error());
        search_.give_back(work);
        finish(ExploreEnd::kStopped);
      } else {
        settle(work, *execution, index);
      }
      changed_.notify_all();
      if (alone) tell();
    }
  }

  void wait_and_tell(std::size_t executors) {
    std::unique_lock lock(mutex_);
    while (ended_ < executors) {
      changed_.wait_for(lock, kProgressPeriod);
      tell();
    }
  }

  void executor_ended() {
    const std::lock_guard lock(mutex_);
    ++ended_;
    changed_.notify_all();
  }

  Result<ExploreResult> result() {
    if (error_) return Error{*error_};
    ExploreResult result;
    result.end = end_.value_or(ExploreEnd::kExhausted);
    result.counts = search_.counts();
    result.complete = search_.complete();
    result.explored = search_.exhausted() ? 1 : search_.explored_part();
    result.seconds = seconds();
    result.queued = search_.waiting();
    result.queue_bytes = search_.queue_bytes();
    result.divergence = divergence_;
    result.preemptions_done = search_.preemptions_done();
    return result;
  }

 private:
  bool stopping() const { return options_.stop != nullptr && options_.stop->load(); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  std::uint64_t number() const { return search_.counts().executions + 1; }

  void finish(ExploreEnd end) {
    if (!end_) end_ = end;
  }

  bool take(Work& work) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (stopping()) finish(ExploreEnd::kStopped);
      if (options_.limit > 0 && search_.counts().executions + underway_ >= options_.limit &&
          !search_.exhausted())
        finish(ExploreEnd::kLimit);
      if (options_.time.count() > 0 && Clock::now() - begin_ >= options_.time &&
          !search_.exhausted())
        finish(ExploreEnd::kTime);
      if (end_) return false;
      if (search_.next(work)) break;
      if (search_.exhausted()) return false;
      changed_.wait_for(lock, kProgressPeriod);
    }
    ++underway_;
    if (options_.journal != nullptr) options_.journal->taken(work);
    return true;
  }

  void settle(const Work& work, const Explored& execution, std::size_t index) {
    --underway_;
    // An execution that was ended because the user wants to end says nothing.
    if (stopping() && execution.outcome == OutcomeKind::kInconclusive) {
      search_.give_back(work);
      return finish(ExploreEnd::kStopped);
    }
    if (execution.outcome == OutcomeKind::kDiverged) {
      if (events_.on_execution) events_.on_execution(index, execution, number());
      divergence_ = {execution.diverged_step, execution.recorded, execution.actual};
      search_.give_back(work);
      return finish(ExploreEnd::kDiverged);
    }
    if (events_.on_execution) events_.on_execution(index, execution, number());
    if (options_.journal != nullptr) options_.journal->done(work, execution);
    search_.done(work, execution);
    if (execution.failing && !options_.keep_going) finish(ExploreEnd::kFailure);
  }

  // With the lock held.
  void tell() {
    const Clock::time_point now = Clock::now();
    if (!events_.on_progress || now < next_tell_) return;
    next_tell_ = now + kProgressPeriod;
    if (search_.live_nodes() < kLargeTree || now >= next_estimate_) {
      explored_ = search_.explored_part();
      next_estimate_ = now + kLargeTreePeriod;
    }
    events_.on_progress(
        {search_.counts(), explored_, seconds(), search_.waiting(), search_.queue_bytes()});
  }

  const ExploreOptions& options_;
  const ExploreEvents& events_;
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  // Everything below is guarded by mutex_.
  Search search_;
  std::uint64_t underway_ = 0;
  std::size_t ended_ = 0;
  std::optional<ExploreEnd> end_;
  std::optional<std::string> error_;
  std::optional<ExploreDivergence> divergence_;
  Clock::time_point next_tell_ = begin_ + kProgressPeriod;
  Clock::time_point next_estimate_ = begin_;
  double explored_ = 0;
};

}  // namespace

Result<ExploreResult> explore(std::span<Executor* const> executors, const ExploreOptions& options,
                              const ExploreEvents& events) {
  Exploration exploration(options, events);
  Result<bool> resumed = exploration.resume();
  if (!resumed) return Error{resumed.error()};
  if (executors.size() == 1) {
    exploration.run(*executors.front(), 0, true);
    return exploration.result();
  }
  std::vector<std::thread> threads;
  threads.reserve(executors.size());
  for (std::size_t i = 0; i < executors.size(); ++i) {
    threads.emplace_back([&exploration, executor = executors[i], i] {
      exploration.run(*executor, i, false);
      exploration.executor_ended();
    });
  }
  exploration.wait_and_tell(executors.size());
  for (std::thread& thread : threads) thread.join();
  return exploration.result();
}

}  // namespace raddle
