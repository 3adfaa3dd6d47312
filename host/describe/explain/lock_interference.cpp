#include "host/describe/explain/lock_interference.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "host/describe/explain/events/event_order.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

class LockSearch {
 public:
  LockSearch(const KeptTrace& trace, ThreadId failing)
      : trace_(trace), events_(trace.all()), failing_(failing) {}

  std::optional<Interference> run() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      follow(events_[i], i);
      if (events_[i].kind == EventKind::acquire && events_[i].value == 1) add(i);
    }
    if (waited_) return waited_;
    const bool of_others = failing_ == kNoThread || (failing_ == kMainThread && alive_.empty());
    return best_ && (of_others || best_->last.thread == failing_) ? best_ : std::nullopt;
  }

 private:
  static constexpr std::size_t kMostBetween = 64;  // acquisitions that are looked at, newest first
  using Calls = std::vector<std::size_t>;          // enter events, outermost first
  struct Taken {
    std::size_t event = 0;
    Calls calls;
    std::uint32_t time = 0;  // of lives_
    // How many acquisitions of each thread come before it in every schedule.
    std::vector<std::pair<std::uint16_t, std::size_t>> after;
  };
  struct Lock {
    std::vector<Taken> all;
    std::map<std::uint16_t, std::vector<Taken>> rounds;  // by thread: acquisitions of this round
  };

  void follow(const Event& event, std::size_t index) {
    lives_.on(event);
    Calls& calls = calls_[raw(event.thread)];
    if (event.kind == EventKind::enter) calls.push_back(index);
    if (event.kind == EventKind::exit && !calls.empty()) calls.pop_back();
    if (event.kind == EventKind::thread_begin) calls.clear();
    if (event.kind == EventKind::fork) alive_.insert(static_cast<std::uint16_t>(event.value));
    if (event.kind == EventKind::thread_end) alive_.erase(raw(event.thread));
    if (event.kind == EventKind::wait) waits_[raw(event.thread)] = index;
    const bool ends = event.kind == EventKind::release && event.value == 0;
    if (ends && waited_ && event.thread == failing_ && event.object == waited_->object) {
      waited_.reset();
    }
  }

  bool shared(std::size_t event) const { return (events_[event].flags & kShared) != 0; }

  bool in_program(SiteId id) const {
    const std::vector<SiteFrame>& frames = trace_.site(id).frames;
    return std::any_of(frames.begin(), frames.end(), [](const SiteFrame& frame) {
      return !frame.file.empty() && !is_system_header(frame.file);
    });
  }

  Access access(std::size_t event) const {
    return {event, events_[event].thread, true, !shared(event)};
  }

  void add(std::size_t index) {
    const Event& event = events_[index];
    Lock& lock = locks_[event.object];
    if (!in_program(event.site)) return;
    Taken taken{index, calls_[raw(event.thread)], lives_.now(event.thread), {}};
    for (const auto& [thread, round] : lock.rounds) {
      if (!round.empty() && lives_.before(ThreadId{thread}, round.back().time, event.thread)) {
        taken.after.emplace_back(thread, round.back().event);
      }
    }
    std::vector<Taken>& round = lock.rounds[raw(event.thread)];
    if ((event.flags & kByWait) != 0) {
      look_at_wait(event, index, lock);
      // Who waits knows that others have the lock meanwhile, and begins again afterwards.
      round.assign(1, taken);
    } else {
      const bool again = std::any_of(round.begin(), round.end(), [&](const Taken& one) {
        const Event& before = events_[one.event];
        return before.site == event.site && before.context == event.context;
      });
      if (again || round.size() >= kMostBetween) round.clear();
      for (const Taken& first : round) consider(first, taken, lock);
      round.push_back(taken);
    }
    lock.all.push_back(std::move(taken));
  }

  void look_at_wait(const Event& event, std::size_t index, const Lock& lock) {
    const auto wait = waits_.find(raw(event.thread));
    if (event.thread != failing_ || wait == waits_.end()) return;
    if (events_[wait->second].value != event.object || lock.all.empty()) return;
    const Access middle = access(lock.all.back().event);
    if (middle.event < wait->second || middle.thread == event.thread || !middle.writes) return;
    waited_ = Interference{InterferenceKind::kWaited,
                           {wait->second, event.thread, true, true},
                           middle,
                           access(index),
                           event.object,
                           0,
                           0};
  }

  void consider(const Taken& first, const Taken& last, const Lock& lock) {
    std::size_t looked_at = 0;
    for (auto other = lock.all.rbegin();
         other != lock.all.rend() && other->event > first.event && looked_at < kMostBetween;
         ++other, ++looked_at) {
      const bool conflict = !shared(other->event) || (!shared(first.event) && !shared(last.event));
      if (events_[other->event].thread == events_[last.event].thread || !conflict) continue;
      if (cannot_be_elsewhere(*other, first, last)) continue;
      Interference found{InterferenceKind::kLockReacquired,
                         access(first.event),
                         access(other->event),
                         access(last.event),
                         events_[last.event].object,
                         0,
                         0};
      for (std::size_t i = 0; i < std::min(last.calls.size(), first.calls.size()); ++i) {
        if (last.calls[i] != first.calls[i]) break;
        found.common = last.calls[i];
        found.depth = i + 1;
      }
      offer(found);
    }
  }

  // The other thread was created after the first acquisition and joined before the last.
  bool cannot_be_elsewhere(const Taken& middle, const Taken& first, const Taken& last) {
    const ThreadId thread = events_[first.event].thread;
    const bool after =
        std::any_of(middle.after.begin(), middle.after.end(), [&](const auto& earlier) {
          return earlier.first == raw(thread) && earlier.second >= first.event;
        });
    return after &&
           lives_.before(events_[middle.event].thread, middle.time, events_[last.event].thread);
  }

  // How many functions that were inlined both acquisitions are in, outermost first: `one' calls
  // both of what another calls once each.
  std::size_t common_frames(const Interference& found) const {
    const std::vector<SiteFrame>& first = trace_.site(events_[found.first.event].site).frames;
    const std::vector<SiteFrame>& last = trace_.site(events_[found.last.event].site).frames;
    if (events_[found.first.event].context != events_[found.last.event].context) return 0;
    const auto same = [](const SiteFrame& a, const SiteFrame& b) {
      return a.function == b.function && a.line == b.line;
    };
    return std::size_t(
        std::mismatch(first.rbegin(), first.rend(), last.rbegin(), last.rend(), same).first -
        first.rbegin());
  }

  void offer(const Interference& found) {
    const auto rank = [&](const Interference& one) {
      const bool own = one.last.thread == failing_;
      const std::size_t when = own ? one.last.event : ~one.last.event;
      return std::tuple(own, one.depth, common_frames(one), when, one.first.event,
                        one.middle.event);
    };
    if (!best_ || rank(found) > rank(*best_)) best_ = found;
  }

  const KeptTrace& trace_;
  const std::vector<Event>& events_;
  const ThreadId failing_;
  EventOrder lives_{EventOrder::By::kLives};
  std::unordered_map<std::uint16_t, Calls> calls_;
  std::unordered_map<std::uint64_t, Lock> locks_;
  std::unordered_map<std::uint16_t, std::size_t> waits_;  // by thread: the last wait
  std::set<std::uint16_t> alive_;
  std::optional<Interference> best_;
  std::optional<Interference> waited_;  // of failing_, which has held the lock since
};

}  // namespace

std::optional<Interference> find_lock_interference(const KeptTrace& trace, ThreadId failing) {
  return LockSearch(trace, failing).run();
}

}  // namespace raddle
