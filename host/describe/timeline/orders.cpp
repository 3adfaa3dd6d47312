#include "host/describe/timeline/orders.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "host/describe/explain/events/accesses.hpp"

namespace raddle {
namespace {

struct Held {
  std::size_t since = 0;
  ThreadId thread{};
  bool shared = false;
};

class Finder {
 public:
  Finder(Timeline& timeline, std::span<const Event> chosen, const Failure& failure)
      : timeline_(timeline), chosen_(chosen), failure_(failure) {}

  void run() {
    for (at_ = 0; at_ < chosen_.size(); ++at_) {
      const Event& event = chosen_[at_];
      order(event);
      wait_span(event);
      held_span(event);
      last_of_[raw(event.thread)] = at_;
    }
    for (const auto& [lock, holders] : held_) {
      for (const Held& held : holders) add_held(held, last(), true);
    }
    blocked_at_end();
    preemptions();
    std::stable_sort(timeline_.spans.begin(), timeline_.spans.end(),
                     [](const auto& a, const auto& b) { return a.from < b.from; });
  }

 private:
  std::size_t last() const { return chosen_.empty() ? 0 : chosen_.size() - 1; }

  // From the last such event of another thread to this one.
  void order_from(const std::unordered_map<std::uint64_t, std::size_t>& sources, std::uint64_t key,
                  TimelineOrderKind kind) {
    const auto from = sources.find(key);
    if (from == sources.end() || chosen_[from->second].thread == chosen_[at_].thread) return;
    timeline_.orders.push_back({from->second, at_, kind});
  }

  void order(const Event& event) {
    switch (event.kind) {
      case EventKind::release:
        released_[event.object] = at_;
        return;
      case EventKind::acquire:
        return order_from(released_, event.object, TimelineOrderKind::kLock);
      case EventKind::notify:
        if (event.value > 0) notified_[event.object] = at_;
        return;
      case EventKind::wake:
        if (event.value == 0) order_from(notified_, event.object, TimelineOrderKind::kNotify);
        return;
      case EventKind::signal:
        signalled_[event.object] = at_;
        return;
      case EventKind::await:
        return order_from(signalled_, event.object, TimelineOrderKind::kSignal);
      case EventKind::fork:
        created_[event.value & 0xffff] = at_;
        return;
      case EventKind::thread_begin:
        return order_from(created_, raw(event.thread), TimelineOrderKind::kCreate);
      case EventKind::thread_end:
        ended_[raw(event.thread)] = at_;
        return;
      case EventKind::join:
        return order_from(ended_, event.value & 0xffff, TimelineOrderKind::kJoin);
      case EventKind::allocate:
        written_.erase(event.object);
        return;
      case EventKind::read:
      case EventKind::write:
      case EventKind::atomic_load:
      case EventKind::atomic_store:
      case EventKind::atomic_update:
      case EventKind::atomic_compare: {
        const Access access = access_of(event, at_);
        if (access.reads) order_from(written_, event.object, TimelineOrderKind::kValue);
        if (access.writes) written_[event.object] = at_;
        return;
      }
      case EventKind::none:
      case EventKind::decision:
      case EventKind::wait:
      case EventKind::read_range:
      case EventKind::write_range:
      case EventKind::fence:
      case EventKind::enter:
      case EventKind::exit:
      case EventKind::block_enter:
      case EventKind::block_exit:
      case EventKind::unit_enter:
      case EventKind::unit_exit:
      case EventKind::free:
      case EventKind::local:
      case EventKind::user:
      case EventKind::destroy:
        return;
    }
  }

  static bool begins_hold(const Event& event) {
    return event.kind == EventKind::acquire && event.value <= 1;
  }

  // A thread comes to its next step before another goes on: from then on it waits for the lock as
  // long as somebody has it.
  void wait_span(const Event& event) {
    const auto before = last_of_.find(raw(event.thread));
    if (!begins_hold(event) || before == last_of_.end()) return;
    std::vector<TimelineSpan> waits;
    for (const TimelineSpan& span : timeline_.spans) {
      const bool of_another = !span.waits && span.thread != event.thread;
      if (!of_another || chosen_[span.from].object != event.object) continue;
      if (span.shared && (event.flags & kShared) != 0) continue;
      if (span.to > before->second)
        waits.push_back({event.thread, timeline_.events[at_].object,
                         std::max(before->second, span.from), span.to, true, false, false});
    }
    timeline_.spans.insert(timeline_.spans.end(), waits.begin(), waits.end());
  }

  void held_span(const Event& event) {
    if (begins_hold(event)) {
      held_[event.object].push_back({at_, event.thread, (event.flags & kShared) != 0});
    } else if (event.kind == EventKind::release && event.value == 0) {
      std::vector<Held>& holders = held_[event.object];
      const auto own = std::find_if(holders.begin(), holders.end(),
                                    [&](const Held& held) { return held.thread == event.thread; });
      if (own == holders.end()) return;
      add_held(*own, at_, false);
      holders.erase(own);
    }
  }

  void add_held(const Held& held, std::size_t to, bool open) {
    timeline_.spans.push_back({held.thread, timeline_.events[held.since].object, held.since, to,
                               false, held.shared, open});
  }

  // What a thread waits for when the execution ends; the failure knows it by another name.
  void blocked_at_end() {
    for (const ThreadLine& line : failure_.threads) {
      const auto from = last_of_.find(raw(line.id));
      if (!line.blocked || from == last_of_.end()) continue;
      timeline_.spans.push_back({line.id, name_of(line), from->second, last(), true, false, true});
    }
  }

  std::string name_of(const ThreadLine& line) const {
    if (line.address != 0) {
      for (std::size_t i = chosen_.size(); i-- > 0;) {
        if (chosen_[i].object == line.address) return timeline_.events[i].object;
      }
    }
    return line.doing.object.name.path;
  }

  // It is known that a thread could have gone on if its next step can never wait, or takes a lock
  // that is free. A thread that gave way, slept or waited was not interrupted.
  void preemptions() {
    std::map<std::uint16_t, std::vector<std::size_t>> own;
    for (std::size_t i = 0; i < chosen_.size(); ++i) own[raw(chosen_[i].thread)].push_back(i);
    for (std::size_t i = 1; i < chosen_.size(); ++i) {
      const Event& before = chosen_[i - 1];
      if (before.thread == chosen_[i].thread || before.kind == EventKind::decision ||
          before.kind == EventKind::thread_end || before.kind == EventKind::wait) {
        continue;
      }
      const std::vector<std::size_t>& steps = own[raw(before.thread)];
      const auto next = std::upper_bound(steps.begin(), steps.end(), i);
      if (next != steps.end()) timeline_.events[i].preempts = can_go_on(*next, i - 1);
    }
  }

  bool can_go_on(std::size_t next, std::size_t now) const {
    const Event& event = chosen_[next];
    switch (event.kind) {
      case EventKind::read:
      case EventKind::write:
      case EventKind::atomic_load:
      case EventKind::atomic_store:
      case EventKind::atomic_update:
      case EventKind::atomic_compare:
      case EventKind::release:
      case EventKind::notify:
      case EventKind::signal:
      case EventKind::fork:
      case EventKind::wait:
      case EventKind::free:
      case EventKind::thread_end:
        return true;
      case EventKind::acquire:
        return is_free(event.object, now);
      case EventKind::none:
      case EventKind::decision:
      case EventKind::thread_begin:
      case EventKind::join:
      case EventKind::wake:
      case EventKind::await:
      case EventKind::read_range:
      case EventKind::write_range:
      case EventKind::fence:
      case EventKind::enter:
      case EventKind::exit:
      case EventKind::block_enter:
      case EventKind::block_exit:
      case EventKind::unit_enter:
      case EventKind::unit_exit:
      case EventKind::allocate:
      case EventKind::local:
      case EventKind::user:
      case EventKind::destroy:
        return false;
    }
    return false;
  }

  bool is_free(std::uint64_t lock, std::size_t now) const {
    return std::none_of(timeline_.spans.begin(), timeline_.spans.end(),
                        [&](const TimelineSpan& span) {
                          return !span.waits && chosen_[span.from].object == lock &&
                                 span.from <= now && (span.open || span.to > now);
                        });
  }

  Timeline& timeline_;
  const std::span<const Event> chosen_;
  const Failure& failure_;
  std::size_t at_ = 0;
  std::unordered_map<std::uint16_t, std::size_t> last_of_;  // a thread's last event so far
  std::map<std::uint64_t, std::vector<Held>> held_;
  std::unordered_map<std::uint64_t, std::size_t> released_;
  std::unordered_map<std::uint64_t, std::size_t> notified_;
  std::unordered_map<std::uint64_t, std::size_t> signalled_;
  std::unordered_map<std::uint64_t, std::size_t> written_;
  std::unordered_map<std::uint64_t, std::size_t> created_;  // by the thread created
  std::unordered_map<std::uint64_t, std::size_t> ended_;
};

}  // namespace

void find_orders(Timeline& timeline, std::span<const Event> chosen, const Failure& failure) {
  Finder(timeline, chosen, failure).run();
}

}  // namespace raddle
