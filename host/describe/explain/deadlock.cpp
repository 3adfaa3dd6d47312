#include "host/describe/explain/deadlock.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "host/describe/explain/counting/counted_causes.hpp"
#include "host/describe/explain/counting/kept_permit.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/final_waits.hpp"
#include "host/describe/explain/events/storyteller.hpp"

namespace raddle {
namespace {

class Deadlock {
 public:
  Deadlock(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols)
      : events_(trace.all()),
        history_(trace),
        teller_(trace, failure, symbols),
        waits_(failure, history_, teller_) {}

  std::optional<Explanation> wrong_one() { return woken_in_vain(); }

  Explanation run() {
    for (const FinalWait& waiter : waits_.all()) {
      if (auto stale = looked_too_early(waiter)) return *stale;
    }
    for (const FinalWait& waiter : waits_.all()) {
      if (auto untold = changed_untold(waiter)) return *untold;
      if (auto passed = passed_over(waiter)) return *passed;
    }
    for (const FinalWait& waiter : waits_.all()) {
      if (auto lost = signalled_too_early(waiter)) return *lost;
    }
    return {};
  }

 private:
  // Somebody who looks can make it go on. At a barrier all that counts is who arrives.
  static bool can_be_woken(const FinalWait& waiter) {
    const ObjectClass cls = waiter.line->doing.object.cls;
    return cls == ObjectClass::cond || cls == ObjectClass::semaphore || cls == ObjectClass::futex;
  }

  // A semaphore remembers what was posted before somebody waits: a wake-up is lost only where the
  // other thread looked whether it has to post.
  static bool remembers(const FinalWait& waiter) {
    return waiter.line->doing.object.cls == ObjectClass::semaphore;
  }

  void look_at(std::set<std::size_t> events, const FinalWait& waiter) {
    if (waiter.wait) events.insert(*waiter.wait);
    teller_.look_at(events);
  }

  // It looked at a variable, and somebody changed that before it waited.
  std::optional<Explanation> looked_too_early(const FinalWait& waiter) {
    if (!can_be_woken(waiter)) return std::nullopt;
    std::vector<Access> all = waits_.looks(waiter);
    for (const Access& look : waits_.looks_without_lock(waiter)) all.push_back(look);
    for (const Access& look : all) {
      for (const AccessHistory::Entry& entry : history_.at(events_[look.event].object)) {
        const Access& write = entry.access;
        if (write.event < look.event || write.event > waiter.end) continue;
        if (!waits_.changes(write, look)) continue;
        const bool told = !waiter.wait || waits_.notify_between(waits_.condition_of(waiter),
                                                                write.event, waiter.end);
        if (told && (!remembers(waiter) || crossed_look(look, write)))
          return too_early(waiter, look, write);
      }
    }
    return std::nullopt;
  }

  Explanation too_early(const FinalWait& waiter, const Access& look, const Access& write) {
    std::set<std::size_t> events = {look.event, write.event};
    std::optional<std::size_t> notify;
    if (waiter.wait)
      notify = waits_.notify_between(waits_.condition_of(waiter), look.event, waiter.end);
    if (notify) events.insert(*notify);
    const auto crossed = waiter.wait ? std::nullopt : crossed_look(look, write);
    if (crossed) events.insert({crossed->first, crossed->second});
    look_at(events, waiter);
    Explanation explanation;
    explanation.cause = Cause::kLostSignal;
    explanation.other = teller_.object(look.event);
    explanation.middle = teller_.access(look.event);
    explanation.change = teller_.access(write.event);
    explanation.first = notify ? teller_.access(*notify) : *explanation.change;
    teller_.add_steps(explanation, events, events_.size());
    waits_.add_wait(explanation, waiter);
    if (waiter.wait) {
      const std::uint64_t lock = events_[*waiter.wait].value;
      const std::vector<std::uint64_t> held = teller_.stacks().held(write.event);
      const bool changed_locked = std::find(held.begin(), held.end(), lock) != held.end();
      const bool looked_locked = look.event >= waiter.since;
      explanation.lock = ExplainedLock{teller_.lock_name(lock), {}};
      explanation.lock->first = looked_locked;
      explanation.lock->middle = changed_locked;
      // It may have had the lock then, and released it before it waited.
      explanation.lock->last = teller_.stacks().taken(look.event, lock).has_value();
      if (looked_locked && !changed_locked) explanation.suggestion = Suggestion::kSignalUnderLock;
      if (!looked_locked && changed_locked) explanation.suggestion = Suggestion::kHoldToWait;
      // Where both do without the lock, neither would help alone.
      if (!looked_locked && !changed_locked) explanation.suggestion = Suggestion::kHoldAtBoth;
    }
    if (crossed) {
      explanation.third = teller_.object(crossed->first);
      explanation.early = teller_.access(crossed->first);
      explanation.late = teller_.access(crossed->second);
    }
    return explanation;
  }

  // After its change the other thread read what the waiter changed only after that: each missed the
  // other's change. The read and the waiter's change.
  std::optional<std::pair<std::size_t, std::size_t>> crossed_look(const Access& look,
                                                                  const Access& write) const {
    for (std::size_t i = write.event + 1; i < events_.size(); ++i) {
      const Access read = access_of(events_[i], i);
      if (read.thread != write.thread || !read.reads || read.writes) continue;
      for (const AccessHistory::Entry& entry : history_.at(events_[i].object)) {
        const Access& late = entry.access;
        const bool own = late.thread == look.thread && late.writes && late.event > look.event;
        if (own && late.event > i && events_[i].object != events_[look.event].object) {
          return std::pair(i, late.event);
        }
      }
    }
    return std::nullopt;
  }

  // What it looked at was changed after that, and nobody signalled then.
  std::optional<Explanation> changed_untold(const FinalWait& waiter) {
    if (!waiter.wait) return std::nullopt;
    for (const Access& look : waits_.looks(waiter)) {
      const std::vector<AccessHistory::Entry>& all = history_.at(events_[look.event].object);
      for (auto entry = all.rbegin(); entry != all.rend(); ++entry) {
        const Access& write = entry->access;
        if (!write.writes) continue;
        // What was changed back has changed nothing.
        if (write.event < look.event || !waits_.changes(write, look)) break;
        if (waits_.notify_between(waits_.condition_of(waiter), write.event, events_.size())) break;
        look_at({look.event, write.event}, waiter);
        Explanation explanation;
        explanation.cause = Cause::kMissingNotify;
        explanation.other = teller_.object(look.event);
        explanation.middle = teller_.access(look.event);
        explanation.first = teller_.access(write.event);
        explanation.suggestion = Suggestion::kNotify;
        teller_.add_steps(explanation, {look.event, write.event}, events_.size());
        waits_.add_wait(explanation, waiter);
        return explanation;
      }
    }
    return std::nullopt;
  }

  // What it waits for was changed, and notify_one woke another of those that waited.
  std::optional<Explanation> passed_over(const FinalWait& waiter) {
    if (!waiter.wait) return std::nullopt;
    for (const Access& look : waits_.looks(waiter)) {
      const auto write = history_.last_write(events_[look.event].object, events_.size());
      if (!write || write->event < look.event || !waits_.changes(*write, look)) continue;
      const std::uint64_t condition = waits_.condition_of(waiter);
      const auto signal = waits_.next(write->event, EventKind::notify, condition, std::nullopt);
      if (!signal || *signal < *waiter.wait) continue;
      const bool for_one = (events_[*signal].flags & kAll) == 0 && events_[*signal].value == 1;
      // Another signal may be meant for the next one.
      if (!for_one || waits_.next(*signal + 1, EventKind::notify, condition, std::nullopt))
        continue;
      const auto wake = waits_.next(*signal, EventKind::wake, condition, std::nullopt);
      if (!wake || events_[*wake].thread == waiter.thread) continue;
      return explain_passed_over(waiter, std::pair(look, *write), *signal, *wake);
    }
    return passed_over_in_vain(waiter);
  }

  // The last signal was for one, and woke another that had nothing to take: what it was about is
  // not known.
  std::optional<Explanation> passed_over_in_vain(const FinalWait& waiter) {
    const auto signal =
        waits_.notify_between(waits_.condition_of(waiter), *waiter.wait, events_.size());
    if (!signal || (events_[*signal].flags & kAll) != 0 || events_[*signal].value != 1) return {};
    const auto wake =
        waits_.next(*signal, EventKind::wake, waits_.condition_of(waiter), std::nullopt);
    if (!wake || events_[*wake].thread == waiter.thread || takes_something(*wake)) return {};
    return explain_passed_over(waiter, std::nullopt, *signal, *wake);
  }

  // The thread that was woken writes what others know, before it releases the lock.
  bool takes_something(std::size_t wake) const {
    const ThreadId thread = events_[wake].thread;
    std::set<std::uint64_t> written;
    for (std::size_t i = wake; i < events_.size(); ++i) {
      if (events_[i].thread != thread) continue;
      if (events_[i].kind == EventKind::release) break;
      if (access_of(events_[i], i).writes) written.insert(events_[i].object);
    }
    return std::any_of(events_.begin(), events_.end(), [&](const Event& event) {
      return event.thread != thread && is_access(event.kind) && written.contains(event.object);
    });
  }

  // How many threads wait there when it is signalled.
  std::size_t waiting_at(std::size_t signal) const {
    std::set<std::uint16_t> waiting;
    for (std::size_t i = 0; i < signal; ++i) {
      if (events_[i].object != events_[signal].object) continue;
      if (events_[i].kind == EventKind::wait) waiting.insert(raw(events_[i].thread));
      if (events_[i].kind == EventKind::wake) waiting.erase(raw(events_[i].thread));
    }
    return waiting.size();
  }

  // `known` is the look at a variable, and its change.
  Explanation explain_passed_over(const FinalWait& waiter,
                                  const std::optional<std::pair<Access, Access>>& known,
                                  std::size_t signal, std::size_t wake) {
    std::set<std::size_t> shown = {signal, wake};
    if (known) shown.insert({known->first.event, known->second.event});
    look_at(shown, waiter);
    Explanation explanation;
    explanation.cause = Cause::kTooFewWoken;
    if (known) {
      explanation.other = teller_.object(known->first.event);
      explanation.change = teller_.access(known->second.event);
      explanation.last.read = teller_.access(known->first.event).read;
      explanation.suggestion = Suggestion::kNotifyAll;
    }
    explanation.first = teller_.access(signal);
    explanation.middle = teller_.access(wake);
    explanation.waiters = waiting_at(signal);
    std::set<std::size_t> all = shown;
    all.insert(*waiter.wait);
    teller_.add_steps(explanation, all, *waiter.wait);
    explanation.object = teller_.object(*waiter.wait);
    if (explanation.object.name.empty()) explanation.object.ref = waiter.line->doing.object;
    explanation.last.thread = waiter.thread;
    explanation.last.where = teller_.where(*waiter.wait);
    return explanation;
  }

  bool sees_memory() const {
    return std::any_of(events_.begin(), events_.end(),
                       [](const Event& event) { return is_access(event.kind); });
  }

  // The last signal came when nobody waited, and there is nothing to look at that remembers it.
  std::optional<Explanation> signalled_too_early(const FinalWait& waiter) {
    if (!waiter.wait || !waits_.looks(waiter).empty()) return std::nullopt;
    const auto signal = waits_.notify_between(waits_.condition_of(waiter), 0, events_.size());
    if (!signal || *signal > *waiter.wait || events_[*signal].value != 0) return std::nullopt;
    look_at({*signal}, waiter);
    Explanation explanation;
    explanation.cause = Cause::kLostSignal;
    explanation.first = teller_.access(*signal);
    teller_.add_steps(explanation, {*signal}, events_.size());
    waits_.add_wait(explanation, waiter);
    // A program that does not show its memory may look at a variable all the same.
    const bool looked = !waits_.looks_without_lock(waiter).empty();
    if (sees_memory() && !looked) explanation.suggestion = Suggestion::kSetVariable;
    return explanation;
  }

  struct InVain {
    std::size_t signal = 0;
    std::size_t again = 0;   // the woken thread's next wait
    std::size_t passed = 0;  // the wait of a thread that was not woken
  };

  bool writes_between(ThreadId thread, std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < to; ++i) {
      if (events_[i].thread == thread && access_of(events_[i], i).writes &&
          history_.is_shared(events_[i].object)) {
        return true;
      }
    }
    return false;
  }

  // A signal for one woke a thread that had no use for it, and another one waits for ever.
  std::optional<Explanation> woken_in_vain() {
    std::map<std::uint64_t, std::map<std::uint16_t, std::size_t>> waiting;  // by condition, thread
    std::map<std::uint64_t, std::int64_t> outstanding;  // signalled, and not awake yet
    std::optional<InVain> found;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      auto& here = waiting[event.object];
      if (event.kind == EventKind::wait) here[raw(event.thread)] = i;
      if (event.kind == EventKind::wake) {
        here.erase(raw(event.thread));
        if (event.value == 0) --outstanding[event.object];
      }
      if (event.kind != EventKind::notify) continue;
      const bool for_one = (event.flags & kAll) == 0 && event.value == 1;
      if (for_one && outstanding[event.object] == 0 && here.size() >= 2) {
        if (const auto vain = in_vain(i, here)) found = vain;
      }
      outstanding[event.object] += static_cast<std::int64_t>(event.value);
    }
    if (!found) return std::nullopt;
    return explain_in_vain(*found);
  }

  std::optional<InVain> in_vain(std::size_t signal,
                                const std::map<std::uint16_t, std::size_t>& here) const {
    const std::uint64_t condition = events_[signal].object;
    const auto wake = waits_.next(signal, EventKind::wake, condition, std::nullopt);
    if (!wake || !here.contains(raw(events_[*wake].thread))) return std::nullopt;
    const ThreadId woken = events_[*wake].thread;
    const auto again = waits_.next(*wake, EventKind::wait, condition, woken);
    if (!again || writes_between(woken, *wake, *again)) return std::nullopt;
    for (const FinalWait& waiter : waits_.all()) {
      const auto then = here.find(raw(waiter.thread));
      const bool passed = then != here.end() && waiter.wait && *waiter.wait == then->second;
      if (passed && waiter.thread != woken) return InVain{signal, *again, *waiter.wait};
    }
    return std::nullopt;
  }

  Explanation explain_in_vain(const InVain& found) {
    teller_.look_at({found.passed, found.signal, found.again});
    Explanation explanation;
    explanation.cause = Cause::kNotifyOne;
    explanation.object = teller_.object(found.passed);
    explanation.first = teller_.access(found.signal);
    explanation.middle = teller_.access(found.again);
    explanation.last = teller_.access(found.passed);
    explanation.suggestion = Suggestion::kNotifyAll;
    teller_.add_steps(explanation, {found.passed, found.signal, found.again}, found.passed);
    for (ExplainedStep& step : explanation.steps) step.object.clear();
    return explanation;
  }

  const std::vector<Event>& events_;
  AccessHistory history_;
  Storyteller teller_;
  FinalWaits waits_;
};

}  // namespace

Explanation explain_deadlock(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols) {
  if (failure.verdict && !failure.verdict->cycle.empty()) {
    return explain_cycle(trace, failure, symbols);
  }
  if (auto left = explain_left_locked(trace, failure, symbols)) return *left;
  if (auto late = explain_put_too_late(trace, failure, symbols)) return *late;
  if (auto futures = explain_unfulfilled_futures(failure)) return *futures;
  if (auto missing = explain_library_barrier(trace, failure, symbols)) return *missing;
  Deadlock deadlock(trace, failure, symbols);
  if (auto wrong = deadlock.wrong_one()) return *wrong;
  if (auto back = explain_changed_back(trace, failure, symbols)) return *back;
  if (auto unwatched = explain_unwatched_change(trace, failure, symbols)) return *unwatched;
  Explanation explanation = deadlock.run();
  if (!explanation.empty()) return explanation;
  if (auto nested = explain_wait_under_lock(trace, failure, symbols)) return *nested;
  if (auto missing = explain_barrier(trace, failure, symbols)) return *missing;
  for (const ThreadLine& line : failure.threads) {
    if (!line.blocked) continue;
    if (auto small = find_made_for_too_few(trace, failure, line.id, symbols)) return *small;
  }
  if (auto posted = explain_semaphore(trace, failure, symbols)) return *posted;
  if (auto kept = explain_permit_by_hand(trace, failure, symbols)) return *kept;
  if (auto both = explain_each_other(trace, failure, symbols)) return *both;
  return explain_unreached_value(trace, failure, symbols).value_or(Explanation{});
}

}  // namespace raddle
