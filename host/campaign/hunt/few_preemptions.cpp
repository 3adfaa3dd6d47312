#include "host/campaign/hunt/few_preemptions.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "protocol/uses.hpp"

namespace raddle {
namespace {

// With one preemption, and in all. An execution costs the same as one at random.
constexpr std::size_t kMostFirst = 240;
constexpr std::size_t kMost = 400;
constexpr std::size_t kFew = 40;
// Of the threads that come to one place, so many.
constexpr std::size_t kMostInstances = 6;
constexpr std::size_t kMostRivals = 2;
// A log that is longer has more places than anybody tries.
constexpr std::size_t kMostSteps = 50'000;
// A turn ends when its thread has made as many steps as it did, and a few: it may loop.
constexpr std::uint64_t kMoreSteps = 8;

using Steps = std::map<ThreadId, std::uint64_t>;

Steps steps_in(std::span<const StepRecord> log) {
  Steps steps;
  for (const StepRecord& record : log)
    if (record.op != OpKind::value_choice) ++steps[record.thread];
  return steps;
}

std::vector<StepRecord> values_of(std::span<const StepRecord> log) {
  std::vector<StepRecord> values;
  std::copy_if(log.begin(), log.end(), std::back_inserter(values),
               [](const StepRecord& record) { return record.op == OpKind::value_choice; });
  return values;
}

// Who uses an object, and how, in one execution.
struct Used {
  std::map<ThreadId, std::uint8_t> by;

  bool conflicts(ThreadId thread, std::uint8_t how) const {
    const bool reads = (how & (kWritesObject | kClaimsObject)) == 0;
    return std::any_of(by.begin(), by.end(), [&](const auto& other) {
      return other.first != thread &&
             (!reads || (other.second & (kWritesObject | kClaimsObject)) != 0);
    });
  }
};

bool is_memory(OpKind op) {
  return op == OpKind::memory_read || op == OpKind::memory_write || op == OpKind::atomic_load ||
         op == OpKind::atomic_store || op == OpKind::atomic_update;
}

// A place where threads come, in order of promise.
struct Place {
  unsigned rank = 0;
  std::size_t first = 0;
  std::vector<std::size_t> steps;  // indices in the log
  bool operator<(const Place& other) const {
    return rank != other.rank ? rank < other.rank : first < other.first;
  }
};

// The n-th that is tried: the first, the last, the second, the last but one, ...
std::size_t instance(const Place& place, std::size_t n) {
  return place.steps[n % 2 == 0 ? n / 2 : place.steps.size() - 1 - n / 2];
}

class Preemptions {
 public:
  Preemptions(std::span<const StepRecord> log, const std::set<std::uint64_t>& promising)
      : log_(log), promising_(promising), steps_(steps_in(log)), values_(values_of(log)) {
    for (const StepRecord& record : log) {
      const std::uint8_t how = use_of(record);
      if (how != 0) used_[record.object].by[record.thread] |= how;
    }
  }

  // From `from` on.
  std::vector<Place> places(std::size_t from) const {
    std::map<std::pair<std::uint64_t, OpKind>, Place> list;
    for (std::size_t i = from; i < log_.size(); ++i) {
      const std::optional<unsigned> rank = rank_of(log_[i]);
      if (!rank) continue;
      Place& place = list[{log_[i].site, log_[i].op}];
      if (place.steps.empty()) place = {*rank, i, {}};
      // Once for each thread: another time around a loop promises less than another thread.
      if (!place.steps.empty() && log_[place.steps.back()].thread == log_[i].thread) continue;
      place.steps.push_back(i);
    }
    std::vector<Place> sorted;
    sorted.reserve(list.size());
    for (auto& [key, place] : list) sorted.push_back(std::move(place));
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

  // Everybody else goes before the step, as far as they come.
  Schedule others_first(std::size_t at) const {
    Schedule schedule = until(at);
    constexpr int kRounds = 2;  // some wait for others at first
    for (int round = 0; round < kRounds; ++round) {
      for (const auto& [thread, steps] : steps_)
        if (thread != log_[at].thread) schedule.turns.push_back({thread, steps + kMoreSteps});
    }
    return schedule;
  }

  // One other thread does, then the first goes on.
  Schedule one_first(std::size_t at, ThreadId other) const {
    Schedule schedule = until(at);
    schedule.turns.push_back({other, steps_.at(other) + kMoreSteps});
    schedule.turns.push_back({log_[at].thread, steps_.at(log_[at].thread) + kMoreSteps});
    return schedule;
  }

  // Who could use the object before the step instead of after it: the next one, and the last.
  std::vector<ThreadId> rivals(std::size_t at) const {
    std::vector<ThreadId> list;
    const std::uint8_t how = use_of(log_[at]);
    if (how == 0) return list;
    const auto add = [&](const StepRecord& record) {
      const bool is_rival = record.thread != log_[at].thread && record.object == log_[at].object &&
                            ((how | use_of(record)) & (kWritesObject | kClaimsObject)) != 0 &&
                            use_of(record) != 0;
      if (is_rival && list.size() < kMostRivals &&
          std::find(list.begin(), list.end(), record.thread) == list.end())
        list.push_back(record.thread);
      return is_rival;
    };
    for (std::size_t i = at + 1; i < log_.size(); ++i)
      if (add(log_[i])) break;
    for (std::size_t i = log_.size(); i > at + 1; --i)
      if (add(log_[i - 1])) break;
    return list;
  }

 private:
  static std::uint8_t use_of(const StepRecord& record) {
    return record.op == OpKind::value_choice || record.object == kNoObject ? 0 : uses_of(record.op);
  }

  // Nothing if nobody could see another order.
  std::optional<unsigned> rank_of(const StepRecord& record) const {
    if (record.op == OpKind::thread_begin) return 2;
    const std::uint8_t how = use_of(record);
    if (how == 0 || !used_.at(record.object).conflicts(record.thread, how)) return std::nullopt;
    if (promising_.contains(record.site)) return 0;
    if (is_memory(record.op)) return 1;
    return (how & kReadsObject) != 0 ? 3 : 4;
  }

  Schedule until(std::size_t at) const {
    Schedule schedule = schedule_of(log_.first(at));
    schedule.values = values_;
    return schedule;
  }

  std::span<const StepRecord> log_;
  const std::set<std::uint64_t>& promising_;
  Steps steps_;
  std::vector<StepRecord> values_;
  std::map<ObjectId, Used> used_;
};

}  // namespace

// Without a preemption, or at creations alone.
void FewPreemptions::add_orders(std::span<const StepRecord> log) {
  const Steps steps = steps_in(log);
  Schedule backwards;
  Schedule at_once;
  backwards.values = at_once.values = values_of(log);
  std::uint64_t made = 0;  // by the main thread
  ThreadId newest = kMainThread;
  for (const StepRecord& record : log) {
    if (record.op == OpKind::value_choice) continue;
    made += record.thread == kMainThread ? 1 : 0;
    if (record.op != OpKind::thread_create) continue;
    newest = ThreadId{static_cast<std::uint16_t>(raw(newest) + 1)};
    if (record.thread != kMainThread || !steps.contains(newest)) continue;
    at_once.turns.push_back({kMainThread, made});
    at_once.turns.push_back({newest, steps.at(newest) + kMoreSteps});
  }
  backwards.turns.push_back({kMainThread, made + kMoreSteps});
  for (auto one = steps.rbegin(); one != steps.rend(); ++one)
    if (one->first != kMainThread)
      backwards.turns.push_back({one->first, one->second + kMoreSteps});
  queue_.push_back({std::move(backwards), 0, 0});
  if (!at_once.turns.empty()) queue_.push_back({std::move(at_once), 0, 0});
}

void FewPreemptions::add_preempted(std::span<const StepRecord> log, std::size_t from,
                                   unsigned preemptions) {
  const Preemptions all(log, promising_);
  const std::vector<Place> places = all.places(from);
  std::deque<FewPreempted>& to = preemptions == 1 ? queue_ : second_;
  const std::size_t most = preemptions == 1 ? kMostFirst : kMost;
  const auto add = [&](Schedule schedule, std::size_t at) {
    if (to.size() < most) to.push_back({std::move(schedule), preemptions, at});
  };
  for (std::size_t n = 0; n < kMostInstances; ++n) {
    for (const Place& place : places)
      if (n < place.steps.size()) add(all.others_first(instance(place, n)), instance(place, n));
    for (const Place& place : places) {
      if (n >= place.steps.size()) continue;
      const std::size_t at = instance(place, n);
      for (const ThreadId rival : all.rivals(at)) add(all.one_first(at, rival), at);
    }
  }
}

void FewPreemptions::begin(std::span<const StepRecord> log) {
  if (log.empty() || log.size() > kMostSteps) return;
  add_orders(log);
  add_preempted(log, 0, 1);
  few_ = queue_.size() <= kFew;
}

std::optional<FewPreempted> FewPreemptions::next() {
  std::deque<FewPreempted>& from = queue_.empty() ? second_ : queue_;
  if (from.empty() || given_ >= kMost) return std::nullopt;
  ++given_;
  FewPreempted one = std::move(from.front());
  from.pop_front();
  return one;
}

void FewPreemptions::done(const FewPreempted& one, std::span<const StepRecord> log) {
  if (!few_ || one.preemptions != 1 || one.kept >= log.size()) return;
  add_preempted(log, one.kept, 2);
}

}  // namespace raddle
