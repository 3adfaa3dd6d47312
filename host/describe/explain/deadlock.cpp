#include "host/describe/explain/deadlock.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "host/describe/explain/counting/counted_causes.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/storyteller.hpp"

namespace raddle {
namespace {

// A thread that waits at the end.
struct Waiter {
  ThreadId thread{};
  std::size_t end = 0;              // what it did before this event came before it waited
  std::optional<std::size_t> wait;  // the event, of a condition
  std::size_t since = 0;            // of a condition: when it took the lock
  const WaitingThread* line = nullptr;
};

class Deadlock {
 public:
  Deadlock(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols)
      : failure_(failure), events_(trace.all()), history_(trace), teller_(trace, failure, symbols) {
    find_waiters();
  }

  Explanation run() {
    if (auto wrong = woken_in_vain()) return *wrong;
    for (const Waiter& waiter : waiters_) {
      if (auto stale = looked_too_early(waiter)) return *stale;
    }
    for (const Waiter& waiter : waiters_) {
      if (auto untold = changed_untold(waiter)) return *untold;
      if (auto passed = passed_over(waiter)) return *passed;
    }
    for (const Waiter& waiter : waiters_) {
      if (auto lost = signalled_too_early(waiter)) return *lost;
    }
    return {};
  }

 private:
  static constexpr std::size_t kMostReads = 8;  // that a decision to wait may depend on

  void find_waiters() {
    std::map<std::uint16_t, Waiter> conditions;
    std::map<std::pair<std::uint16_t, std::uint64_t>, std::size_t> taken;  // lock: last acquisition
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      if (event.kind == EventKind::acquire) taken[{raw(event.thread), event.object}] = i;
      if (event.kind == EventKind::wake) conditions.erase(raw(event.thread));
      if (event.kind != EventKind::wait) continue;
      conditions[raw(event.thread)] = {event.thread, i, i, taken[{raw(event.thread), event.value}]};
    }
    if (!failure_.verdict) return;
    for (const WaitingThread& line : failure_.verdict->waiting) {
      Waiter waiter{line.thread, events_.size()};
      const auto known = conditions.find(raw(line.thread));
      const bool condition = line.doing.object.cls == ObjectClass::cond;
      if (condition && known != conditions.end()) waiter = known->second;
      waiter.line = &line;
      if (!condition || waiter.wait) waiters_.push_back(waiter);
    }
  }

  // What the waiter looked at before it waited, newest first. Who waits on no condition has no lock
  // that it looks under: what it read in the function that waits.
  std::vector<Access> looks(const Waiter& waiter) {
    std::vector<Access> reads = history_.last_reads(waiter.thread, waiter.end, kMostReads);
    std::erase_if(reads, [&](const Access& read) {
      return read.writes || read.event < waiter.since ||
             !history_.is_shared(events_[read.event].object);
    });
    if (waiter.wait) return reads;
    std::set<std::size_t> events;
    for (const Access& read : reads) events.insert(read.event);
    teller_.look_at(events);
    std::erase_if(reads, [&](const Access& read) {
      return teller_.where(read.event).function != waiter.line->where.function;
    });
    return reads;
  }

  // What it looked at before it took the lock that it waits with, in the function that waits.
  std::vector<Access> looks_without_lock(const Waiter& waiter) {
    if (!waiter.wait) return {};
    std::vector<Access> reads = history_.last_reads(waiter.thread, waiter.since, kMostReads);
    // What it looked at before it waited the last time was for that wait.
    std::size_t waited = 0;
    for (std::size_t i = 0; i < *waiter.wait; ++i) {
      if (events_[i].thread == waiter.thread && events_[i].kind == EventKind::wait) waited = i;
    }
    std::erase_if(reads, [&](const Access& read) {
      return read.writes || read.event < waited || !history_.is_shared(events_[read.event].object);
    });
    std::set<std::size_t> events;
    for (const Access& read : reads) events.insert(read.event);
    teller_.look_at(events);
    std::erase_if(reads, [&](const Access& read) {
      const std::vector<Where> stack = teller_.stacks().stack(read.event);
      return std::none_of(stack.begin(), stack.end(), [&](const Where& where) {
        return where.function == waiter.line->where.function;
      });
    });
    return reads;
  }

  // Somebody who looks can make it go on. At a barrier all that counts is who arrives.
  static bool can_be_woken(const Waiter& waiter) {
    const ObjectClass cls = waiter.line->doing.object.cls;
    return cls == ObjectClass::cond || cls == ObjectClass::semaphore || cls == ObjectClass::futex;
  }

  // A semaphore remembers what was posted before somebody waits: a wake-up is lost only where the
  // other thread looked whether it has to post.
  static bool remembers(const Waiter& waiter) {
    return waiter.line->doing.object.cls == ObjectClass::semaphore;
  }

  bool changes(const Access& write, const Access& look) const {
    const auto before = value_read(events_[look.event]);
    const auto after = value_written(events_[write.event]);
    return write.writes && write.thread != look.thread && (!before || !after || *before != *after);
  }

  std::optional<std::size_t> notify_between(std::uint64_t condition, std::size_t from,
                                            std::size_t to) const {
    for (std::size_t i = to; i-- > from;) {
      if (events_[i].kind == EventKind::notify && events_[i].object == condition) return i;
    }
    return std::nullopt;
  }

  std::uint64_t condition_of(const Waiter& waiter) const {
    return waiter.wait ? events_[*waiter.wait].object : 0;
  }

  // Where it waits, and on what: the last step.
  void add_wait(Explanation& explanation, const Waiter& waiter) const {
    ExplainedStep step;
    if (waiter.wait) {
      step = teller_.step(*waiter.wait);
      explanation.object = teller_.object(*waiter.wait);
    } else {
      step.thread = waiter.thread;
      step.step = events_.empty() ? 0 : events_.back().step + 1;
      step.where = waiter.line->where;
      step.action = StepAction::kWaitsOn;
    }
    if (explanation.object.name.empty()) explanation.object.ref = waiter.line->doing.object;
    step.object.clear();
    step.violates = true;
    explanation.last.thread = waiter.thread;
    explanation.last.where = step.where;
    teller_.add_step(explanation, std::move(step));
  }

  void look_at(std::set<std::size_t> events, const Waiter& waiter) {
    if (waiter.wait) events.insert(*waiter.wait);
    teller_.look_at(events);
  }

  // It looked at a variable, and somebody changed that before it waited.
  std::optional<Explanation> looked_too_early(const Waiter& waiter) {
    if (!can_be_woken(waiter)) return std::nullopt;
    std::vector<Access> all = looks(waiter);
    for (const Access& look : looks_without_lock(waiter)) all.push_back(look);
    for (const Access& look : all) {
      for (const AccessHistory::Entry& entry : history_.at(events_[look.event].object)) {
        const Access& write = entry.access;
        if (write.event < look.event || write.event > waiter.end) continue;
        if (!changes(write, look)) continue;
        const bool told =
            !waiter.wait || notify_between(condition_of(waiter), write.event, waiter.end);
        if (told && (!remembers(waiter) || crossed_look(look, write)))
          return too_early(waiter, look, write);
      }
    }
    return std::nullopt;
  }

  Explanation too_early(const Waiter& waiter, const Access& look, const Access& write) {
    std::set<std::size_t> events = {look.event, write.event};
    std::optional<std::size_t> notify;
    if (waiter.wait) notify = notify_between(condition_of(waiter), look.event, waiter.end);
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
    add_wait(explanation, waiter);
    if (waiter.wait) {
      const std::uint64_t lock = events_[*waiter.wait].value;
      const std::vector<std::uint64_t> held = teller_.stacks().held(write.event);
      const bool changed_locked = std::find(held.begin(), held.end(), lock) != held.end();
      const bool looked_locked = look.event >= waiter.since;
      explanation.lock = ExplainedLock{teller_.lock_name(lock), {}};
      explanation.lock->first = looked_locked;
      explanation.lock->middle = changed_locked;
      // Where both do without the lock, neither would help alone.
      if (looked_locked && !changed_locked) explanation.suggestion = Suggestion::kSignalUnderLock;
      if (!looked_locked && changed_locked) explanation.suggestion = Suggestion::kHoldToWait;
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
  std::optional<Explanation> changed_untold(const Waiter& waiter) {
    if (!waiter.wait) return std::nullopt;
    for (const Access& look : looks(waiter)) {
      const std::vector<AccessHistory::Entry>& all = history_.at(events_[look.event].object);
      for (auto entry = all.rbegin(); entry != all.rend(); ++entry) {
        const Access& write = entry->access;
        if (!write.writes) continue;
        // What was changed back has changed nothing.
        if (write.event < look.event || !changes(write, look)) break;
        if (notify_between(condition_of(waiter), write.event, events_.size())) break;
        look_at({look.event, write.event}, waiter);
        Explanation explanation;
        explanation.cause = Cause::kMissingNotify;
        explanation.other = teller_.object(look.event);
        explanation.middle = teller_.access(look.event);
        explanation.first = teller_.access(write.event);
        explanation.suggestion = Suggestion::kNotify;
        teller_.add_steps(explanation, {look.event, write.event}, events_.size());
        add_wait(explanation, waiter);
        return explanation;
      }
    }
    return std::nullopt;
  }

  // What it waits for was changed, and notify_one woke another of those that waited.
  std::optional<Explanation> passed_over(const Waiter& waiter) {
    if (!waiter.wait) return std::nullopt;
    for (const Access& look : looks(waiter)) {
      const auto write = history_.last_write(events_[look.event].object, events_.size());
      if (!write || write->event < look.event || !changes(*write, look)) continue;
      const std::uint64_t condition = condition_of(waiter);
      const auto signal = next(write->event, EventKind::notify, condition, std::nullopt);
      if (!signal || *signal < *waiter.wait) continue;
      const bool for_one = (events_[*signal].flags & kAll) == 0 && events_[*signal].value == 1;
      // Another signal may be meant for the next one.
      if (!for_one || next(*signal + 1, EventKind::notify, condition, std::nullopt)) continue;
      const auto wake = next(*signal, EventKind::wake, condition, std::nullopt);
      if (!wake || events_[*wake].thread == waiter.thread) continue;
      return explain_passed_over(waiter, std::pair(look, *write), *signal, *wake);
    }
    return passed_over_in_vain(waiter);
  }

  // The last signal was for one, and woke another that had nothing to take: what it was about is
  // not known.
  std::optional<Explanation> passed_over_in_vain(const Waiter& waiter) {
    const auto signal = notify_between(condition_of(waiter), *waiter.wait, events_.size());
    if (!signal || (events_[*signal].flags & kAll) != 0 || events_[*signal].value != 1) return {};
    const auto wake = next(*signal, EventKind::wake, condition_of(waiter), std::nullopt);
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
  Explanation explain_passed_over(const Waiter& waiter,
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
  std::optional<Explanation> signalled_too_early(const Waiter& waiter) {
    if (!waiter.wait || !looks(waiter).empty()) return std::nullopt;
    const auto signal = notify_between(condition_of(waiter), 0, events_.size());
    if (!signal || *signal > *waiter.wait || events_[*signal].value != 0) return std::nullopt;
    look_at({*signal}, waiter);
    Explanation explanation;
    explanation.cause = Cause::kLostSignal;
    explanation.first = teller_.access(*signal);
    teller_.add_steps(explanation, {*signal}, events_.size());
    add_wait(explanation, waiter);
    // A program that does not show its memory may look at a variable all the same.
    const bool looked = !looks_without_lock(waiter).empty();
    if (sees_memory() && !looked) explanation.suggestion = Suggestion::kSetVariable;
    return explanation;
  }

  struct InVain {
    std::size_t signal = 0;
    std::size_t again = 0;   // the woken thread's next wait
    std::size_t passed = 0;  // the wait of a thread that was not woken
  };

  std::optional<std::size_t> next(std::size_t from, EventKind kind, std::uint64_t condition,
                                  std::optional<ThreadId> thread) const {
    for (std::size_t i = from; i < events_.size(); ++i) {
      const Event& event = events_[i];
      if (event.kind != kind || event.object != condition) continue;
      if (!thread || event.thread == *thread) return i;
    }
    return std::nullopt;
  }

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
    const auto wake = next(signal, EventKind::wake, condition, std::nullopt);
    if (!wake || !here.contains(raw(events_[*wake].thread))) return std::nullopt;
    const ThreadId woken = events_[*wake].thread;
    const auto again = next(*wake, EventKind::wait, condition, woken);
    if (!again || writes_between(woken, *wake, *again)) return std::nullopt;
    for (const Waiter& waiter : waiters_) {
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

  const Failure& failure_;
  const std::vector<Event>& events_;
  AccessHistory history_;
  Storyteller teller_;
  std::vector<Waiter> waiters_;
};

}  // namespace

Explanation explain_deadlock(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols) {
  if (failure.verdict && !failure.verdict->cycle.empty()) {
    return explain_cycle(trace, failure, symbols);
  }
  if (auto left = explain_left_locked(trace, failure, symbols)) return *left;
  if (auto futures = explain_unfulfilled_futures(failure)) return *futures;
  Explanation explanation = Deadlock(trace, failure, symbols).run();
  if (!explanation.empty()) return explanation;
  if (auto nested = explain_wait_under_lock(trace, failure, symbols)) return *nested;
  if (auto missing = explain_barrier(trace, failure, symbols)) return *missing;
  for (const ThreadLine& line : failure.threads) {
    if (!line.blocked) continue;
    if (auto small = find_made_for_too_few(trace, failure, line.id, symbols)) return *small;
  }
  if (auto posted = explain_semaphore(trace, failure, symbols)) return *posted;
  return explain_unreached_value(trace, failure, symbols).value_or(Explanation{});
}

}  // namespace raddle
