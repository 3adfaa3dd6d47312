#include "host/describe/explain/interference.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "host/describe/explain/events/event_order.hpp"
#include "host/describe/explain/lock_interference.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

std::optional<InterferenceKind> kind_of(const Access& first, const Access& middle,
                                        const Access& last) {
  if (middle.writes && first.reads && last.writes) return InterferenceKind::kCheckThenAct;
  if (middle.writes && first.writes && last.reads) return InterferenceKind::kOverwritten;
  if (middle.writes && first.reads && last.reads) return InterferenceKind::kReadAgain;
  if (middle.reads && first.writes && last.writes) return InterferenceKind::kIntermediate;
  return std::nullopt;
}

class Search {
 public:
  Search(const KeptTrace& trace, ThreadId failing, const std::set<std::uint64_t>& read_last,
         const std::set<std::string>& usual)
      : trace_(trace),
        events_(trace.all()),
        failing_(failing),
        read_last_(read_last),
        usual_(usual),
        program_(trace) {}

  std::optional<Interference> run() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      follow_calls(event, i);
      lives_.on(event);
      order_.on(event);
      const Access access = access_of(event, i);
      if (!only_looks(event)) acted_[raw(event.thread)] = i;
      if ((!access.reads && !access.writes) || !program_.contains(event.site)) continue;
      add(event.object, access);
    }
    if (best_.found) return best_.found;
    // A flag that somebody waits for by reading it is the last thing to blame.
    const auto blamed = std::find_if(unordered_.begin(), unordered_.end(), [&](const auto& one) {
      return !polled_.contains(one.object);
    });
    if (blamed != unordered_.end()) return *blamed;
    if (polling_.found) return polling_.found;
    return unordered_.empty() ? std::nullopt : std::optional(unordered_.front());
  }

  // Of run().
  std::set<std::string> take_rereads() { return std::move(rereads_); }

 private:
  static constexpr std::size_t kMostBetween = 64;  // accesses that are looked at, newest first
  using Calls = std::vector<std::size_t>;          // enter events, outermost first
  struct Known {
    Access access;
    Calls calls;
    std::uint32_t time;    // of lives_
    std::uint32_t moment;  // of order_
    std::vector<std::uint64_t> held;
  };
  struct Other {
    Access access;
    std::uint32_t time;  // of lives_
    // Threads of which an access to the same place comes before it in every schedule.
    std::vector<std::pair<std::uint16_t, std::size_t>> after;
    std::vector<std::uint64_t> held;
    std::uint32_t moment;  // of order_
  };
  struct Round {
    std::size_t call = 0;   // enter event
    std::size_t depth = 0;  // of the call
    std::size_t begin = 0;  // event
  };
  struct Wait {
    std::size_t event = 0;
    std::uint64_t lock = 0;
  };
  struct Best {
    std::optional<Interference> found;
    bool unguarded = false;  // no lock is held by both
  };
  struct Place {
    std::vector<Other> all;
    std::unordered_map<std::uint16_t, Known> last;  // by thread
    // The thread's read before its last access, in the same call: of what follows a check, the read
    // of the act itself must not hide the check.
    std::unordered_map<std::uint16_t, Known> before;
  };

  void follow_calls(const Event& event, std::size_t index) {
    Calls& calls = calls_[raw(event.thread)];
    if (event.kind == EventKind::enter) calls.push_back(index);
    if (event.kind == EventKind::exit && !calls.empty()) calls.pop_back();
    if (event.kind == EventKind::thread_begin) calls.clear();
    std::vector<std::uint64_t>& held = held_[raw(event.thread)];
    if (event.kind == EventKind::acquire && event.value == 1) {
      held.push_back(event.object);
      begin_round(event, index, calls);
    }
    if (event.kind == EventKind::release && event.value == 0) std::erase(held, event.object);
    if (event.kind == EventKind::wait) waits_[raw(event.thread)] = {index, event.value};
    if (event.kind == EventKind::free || event.kind == EventKind::allocate) forget(event);
  }

  // Of a block: what comes there is something else.
  void forget(const Event& block) {
    const std::uint64_t end = block.object + std::max<std::uint64_t>(block.value, 1);
    places_.erase(places_.lower_bound(block.object), places_.lower_bound(end));
  }

  // A function that waits on a condition in a loop knows that things change from one round to the
  // next, also when it does not have to wait.
  void begin_round(const Event& acquire, std::size_t index, const Calls& calls) {
    if (calls.empty() || (trace_.site(events_[calls.back()].site).flags & kSiteWaits) == 0) return;
    const auto [at, is_first] = locked_at_.try_emplace({calls.back(), raw(acquire.site)}, index);
    if (!is_first) rounds_[raw(acquire.thread)] = {calls.back(), calls.size(), index};
  }

  bool in_earlier_round(const Known& known) const {
    const auto at = rounds_.find(raw(known.access.thread));
    if (at == rounds_.end()) return false;
    const Round& round = at->second;
    return known.access.event < round.begin && known.calls.size() >= round.depth &&
           known.calls[round.depth - 1] == round.call;
  }

  // Between the two the thread waited on a condition with the lock of the first one, and looks, or
  // has looked, again: a wait is for a change, and who looks after it does not go by what was.
  bool looked_again(const Known& known, const Place& place, const Access& now) const {
    const auto wait = waits_.find(raw(now.thread));
    if (wait == waits_.end() || wait->second.event < known.access.event) return false;
    const bool same_lock =
        std::find(known.held.begin(), known.held.end(), wait->second.lock) != known.held.end();
    const Known& last = place.last.at(raw(now.thread));
    return same_lock && (now.reads || last.access.event > wait->second.event);
  }

  // The first pair of each place: later ones may follow from it.
  void look_for_unordered(std::uint64_t object, const Place& place, const Access& access) {
    if (is_unordered_.contains(object)) return;
    const std::vector<std::uint64_t>& held = held_[raw(access.thread)];
    for (const auto& [thread, known] : place.last) {
      const bool conflict =
          thread != raw(access.thread) && (known.access.writes || access.writes) &&
          !(is_atomic(events_[known.access.event].kind) && is_atomic(events_[access.event].kind));
      if (!conflict || order_.before(ThreadId{thread}, known.moment, access.thread)) continue;
      if (share_a_lock(known.held, held)) continue;
      unordered_.push_back(
          {InterferenceKind::kUnordered, known.access, access, access, object, 0, 0});
      is_unordered_.insert(object);
      return;
    }
  }

  void add(std::uint64_t object, const Access& access) {
    Place& place = places_[object];
    const Calls& calls = calls_[raw(access.thread)];
    look_for_unordered(object, place, access);
    for (const auto* earlier : {&place.last, &place.before}) {
      const auto known = earlier->find(raw(access.thread));
      if (known != earlier->end() && !in_earlier_round(known->second) &&
          !looked_again(known->second, place, access))
        consider(object, place, known->second, access, calls);
    }
    const auto last = place.last.find(raw(access.thread));
    if (last != place.last.end()) {
      if (only_polls(last->second.access, access)) polled_.insert(object);
      const bool disturbed = place.all.back().access.event > last->second.access.event;
      if (disturbed) place.before[raw(access.thread)] = last->second;
    }
    Other other{access,
                lives_.now(access.thread),
                {},
                held_[raw(access.thread)],
                order_.now(access.thread)};
    for (const auto& [thread, known] : place.last) {
      if (lives_.before(ThreadId{thread}, known.time, access.thread)) {
        other.after.emplace_back(thread, known.access.event);
      }
    }
    place.last[raw(access.thread)] = {access, calls, other.time, order_.now(access.thread),
                                      held_[raw(access.thread)]};
    place.all.push_back(std::move(other));
  }

  void consider(std::uint64_t object, const Place& place, const Known& first, const Access& last,
                const Calls& calls) {
    std::size_t looked_at = 0;
    for (auto other = place.all.rbegin(); other != place.all.rend() && looked_at < kMostBetween &&
                                          other->access.event > first.access.event;
         ++other, ++looked_at) {
      const Access* middle = &other->access;
      if (middle->thread == last.thread || comes_after_set_up(*other, first)) continue;
      const std::optional<InterferenceKind> kind = kind_of(first.access, *middle, last);
      if (!kind || comes_back_later(place, *middle, last)) continue;
      if (*kind == InterferenceKind::kReadAgain && is_handed_over(first, *other, last)) continue;
      if (*kind == InterferenceKind::kIntermediate && is_next_call(first, last, calls)) continue;
      Interference found{*kind, first.access, *middle, last, object, 0, 0};
      set_common_call(found, first.calls, calls);
      offer(found, !share_a_lock(first.held, other->held));
    }
  }

  // The thread came to what was written by something else than a lock of the place itself, such as
  // a queue: it has what it was given, and looks at that, not again at what it had before.
  bool is_handed_over(const Known& first, const Other& middle, const Access& last) {
    for (const std::size_t event : {first.access.event, middle.access.event, last.event})
      if (is_atomic(events_[event].kind)) return false;
    return !share_a_lock(first.held, middle.held) &&
           !share_a_lock(held_[raw(last.thread)], middle.held) &&
           order_.before(middle.access.thread, middle.moment, last.thread);
  }

  // The same write by another call of the same function: the first one was finished in between.
  bool is_next_call(const Known& first, const Access& last, const Calls& calls) const {
    return events_[first.access.event].site == events_[last.event].site && first.calls != calls;
  }

  // The thread had come back to the place before: what it found then was the other's. Its own read
  // does not count where it writes next.
  bool comes_back_later(const Place& place, const Access& middle, const Access& last) const {
    for (auto other = place.all.rbegin();
         other != place.all.rend() && other->access.event > middle.event; ++other) {
      if (other->access.thread != last.thread) continue;
      if (!last.writes || other->access.writes) return true;
    }
    return false;
  }

  static bool share_a_lock(const std::vector<std::uint64_t>& a,
                           const std::vector<std::uint64_t>& b) {
    return std::any_of(a.begin(), a.end(), [&](std::uint64_t lock) {
      return std::find(b.begin(), b.end(), lock) != b.end();
    });
  }

  // A variable that is read until it changes: that is what an atomic one is for. Of another one, a
  // thread that did nothing but look between two reads at one place.
  bool only_polls(const Access& first, const Access& last) const {
    const Event& before = events_[first.event];
    if (first.writes || last.writes || before.site != events_[last.event].site) return false;
    const auto acted = acted_.find(raw(last.thread));
    return is_atomic(before.kind) || acted == acted_.end() || acted->second < first.event;
  }

  static bool only_looks(const Event& event) {
    return event.kind == EventKind::decision || event.kind == EventKind::read ||
           event.kind == EventKind::atomic_load || event.kind == EventKind::enter ||
           event.kind == EventKind::exit;
  }

  // The other thread was created after the first access: that one set up what the other works with.
  static bool comes_after_set_up(const Other& middle, const Known& first) {
    return std::any_of(middle.after.begin(), middle.after.end(), [&](const auto& earlier) {
      return earlier.first == raw(first.access.thread) && earlier.second >= first.access.event;
    });
  }

  void offer(const Interference& found, bool unguarded) {
    if (!changed(found)) return;
    // Who saw what was not finished is disturbed, not who wrote.
    const bool half_way = found.kind == InterferenceKind::kIntermediate;
    if (half_way && failing_ != kNoThread &&
        (found.middle.thread != failing_ || found.depth == 0)) {
      return;
    }
    // Two atomic updates: the second one found what was there, and acted on that.
    const auto updates = [](const Access& one) { return one.reads && one.writes; };
    if (updates(found.first) && updates(found.last) && is_atomic(events_[found.first.event].kind) &&
        is_atomic(events_[found.last.event].kind))
      return;
    const bool looks_again =
        found.kind == InterferenceKind::kReadAgain || found.kind == InterferenceKind::kOverwritten;
    if (looks_again && is_in_destructor(found.last) && !is_in_destructor(found.first)) return;
    if (looks_again && !unguarded) {
      std::string places = in_words(found);
      if (usual_.contains(places)) return;
      rereads_.insert(std::move(places));
    }
    const bool polls = only_polls(found.first, found.last);
    if (polls && is_atomic(events_[found.first.event].kind)) return;
    Best& best = polls ? polling_ : best_;
    const auto rank = [&](const Interference& one, bool no_lock) {
      // Who was disturbed rather than who came between.
      const int involved = one.last.thread == failing_ ? 2 : one.middle.thread == failing_ ? 1 : 0;
      const std::size_t when = involved > 0 ? one.last.event : ~one.last.event;
      return std::tuple(read_last_.contains(one.object), involved, no_lock, one.depth, when,
                        one.first.event, one.middle.event);
    };
    if (best.found && rank(found, unguarded) <= rank(*best.found, best.unguarded)) return;
    best = {found, unguarded};
  }

  // Who destroys an object reads it as whoever worked with it left it, and expects nothing else.
  bool is_in_destructor(const Access& access) const {
    const std::vector<SiteFrame>& frames = trace_.site(events_[access.event].site).frames;
    return std::any_of(frames.begin(), frames.end(),
                       [](const SiteFrame& frame) { return is_destructor(frame.function); });
  }

  // Where it is read, changed and read again, and what: the same in another trace.
  std::string in_words(const Interference& one) const {
    std::string text;
    for (const std::size_t event : {one.first.event, one.middle.event, one.last.event}) {
      const Site& site = trace_.site(events_[event].site);
      for (const SiteFrame& frame : site.frames)
        text += frame.file + ":" + std::to_string(frame.line) + " ";
      text += site.cls + "::" + site.field + "; ";
    }
    return text;
  }

  // The disturbed thread had one value before, and another after.
  bool changed(const Interference& one) const {
    if (one.kind == InterferenceKind::kIntermediate) return true;
    const Event& first = events_[one.first.event];
    const Event& seen = events_[one.last.reads ? one.last.event : one.middle.event];
    const auto before = one.first.writes ? value_written(first) : value_read(first);
    const auto after = one.last.reads ? value_read(seen) : value_written(seen);
    return !before || !after || *before != *after;
  }

  const KeptTrace& trace_;
  const std::vector<Event>& events_;
  const ThreadId failing_;
  const std::set<std::uint64_t>& read_last_;
  const std::set<std::string>& usual_;
  std::set<std::string> rereads_;
  ProgramSites program_;
  EventOrder lives_{EventOrder::By::kLives};
  EventOrder order_{EventOrder::By::kEverything};
  std::unordered_map<std::uint16_t, Calls> calls_;
  std::unordered_map<std::uint16_t, Wait> waits_;  // by thread: the last one
  std::map<std::uint64_t, Place> places_;
  std::unordered_map<std::uint16_t, std::vector<std::uint64_t>> held_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> locked_at_;  // call and site: event
  std::unordered_map<std::uint16_t, Round> rounds_;                         // by thread: the last
  std::unordered_map<std::uint16_t, std::size_t> acted_;  // by thread: its last that is no look
  Best best_;
  Best polling_;                              // by reading again what it waits for
  std::unordered_set<std::uint64_t> polled_;  // places
  std::vector<Interference> unordered_;
  std::unordered_set<std::uint64_t> is_unordered_;  // places of these
};

}  // namespace

void set_common_call(Interference& found, const std::vector<std::size_t>& first,
                     const std::vector<std::size_t>& last) {
  const auto end = std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first;
  found.depth = static_cast<std::size_t>(end - first.begin());
  found.common = found.depth > 0 ? first[found.depth - 1] : 0;
}

std::optional<Interference> find_interference(const KeptTrace& trace, ThreadId failing,
                                              const std::set<std::uint64_t>& read_last,
                                              const std::set<std::string>& usual) {
  const std::optional<Interference> of_memory = Search(trace, failing, read_last, usual).run();
  return of_memory ? of_memory : find_lock_interference(trace, failing);
}

std::set<std::string> rereads_in(const KeptTrace& trace) {
  const std::set<std::uint64_t> nowhere;
  const std::set<std::string> nothing;
  Search search(trace, kNoThread, nowhere, nothing);
  search.run();
  return search.take_rereads();
}

std::vector<Access> accesses_between(const KeptTrace& trace, std::uint64_t object, std::size_t from,
                                     std::size_t to) {
  std::vector<Access> found;
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = from; i <= to && i < events.size(); ++i) {
    const bool waits = events[i].kind == EventKind::wait && events[i].value == object;
    if (!waits && (events[i].object != object || events[i].kind == EventKind::decision)) continue;
    Access access = access_of(events[i], i);
    const bool takes = events[i].kind == EventKind::acquire && events[i].value == 1;
    if (waits || takes) access.reads = access.writes = true;
    if (access.reads || access.writes) found.push_back(access);
  }
  return found;
}

}  // namespace raddle
