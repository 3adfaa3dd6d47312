#include "host/describe/explain/misuse.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "host/describe/explain/events/lock_calls.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/lifetimes/awaited_end.hpp"
#include "host/describe/explain/search/cause_search.hpp"

namespace raddle {
namespace {

using ByThread = std::map<std::uint16_t, std::size_t>;  // events

// What happened to the object before the misuse.
struct Past {
  ByThread holders;   // their acquisitions
  ByThread waiters;   // of a condition: their waits
  ByThread released;  // the last one of each
  std::optional<std::size_t> destroyed;
};

Past past_of(const std::vector<Event>& events, const MisuseLine& misuse) {
  Past past;
  for (std::size_t i = 0; i < events.size() && events[i].step <= misuse.step; ++i) {
    const Event& event = events[i];
    if (event.object != misuse.address) continue;
    const std::uint16_t thread = raw(event.thread);
    if (event.kind == EventKind::acquire) {
      past.holders.try_emplace(thread, i);
      past.destroyed.reset();  // somebody made it anew
    }
    if (event.kind == EventKind::release && event.value == 0) {
      past.holders.erase(thread);
      past.released[thread] = i;
    }
    if (event.kind == EventKind::wait) past.waiters[thread] = i;
    if (event.kind == EventKind::wake) {
      past.waiters.erase(thread);
      past.destroyed.reset();  // somebody made it anew
    }
    if (event.kind == EventKind::destroy) past.destroyed = i;
  }
  return past;
}

std::optional<std::size_t> of_another(const ByThread& events, ThreadId thread) {
  for (const auto& [other, event] : events) {
    if (ThreadId{other} != thread) return event;
  }
  return std::nullopt;
}

bool is_lock(ObjectClass cls) {
  return cls == ObjectClass::mutex || cls == ObjectClass::rwlock || cls == ObjectClass::spinlock;
}

class Misused {
 public:
  Misused(const KeptTrace& trace, const Failure& failure, const MisuseLine& misuse,
          Symbolizer& symbols)
      : trace_(trace),
        failure_(failure),
        misuse_(misuse),
        symbols_(symbols),
        past_(past_of(trace.all(), misuse)),
        teller_(trace, failure, symbols) {}

  Explanation run() {
    if (misuse_.address == 0 || misuse_.more != 0) return {};
    if (misuse_.op == OpKind::destroy) return destroyed();
    if (past_.destroyed) return used_after();
    if (!is_lock(misuse_.object.cls)) return {};
    if (auto freed =
            find_freed_while_locked(trace_, failure_, misuse_.thread, {misuse_.where}, symbols_))
      return *freed;
    return not_held();
  }

 private:
  static StepAction action_of(OpKind op) {
    switch (op) {
      case OpKind::mutex_lock:
        return StepAction::kLocks;
      case OpKind::cond_wait:
        return StepAction::kWaitsOn;
      case OpKind::cond_signal:
        return StepAction::kNotifies;
      case OpKind::cond_broadcast:
        return StepAction::kNotifiesAll;
      default:
        return StepAction::kUnlocks;
    }
  }

  // Who waited for the user may have gone on before the user was done with the object.
  Explanation used_after() {
    Explanation explanation = told(Cause::kUseAfterDestruction, action_of(misuse_.op),
                                   {*past_.destroyed}, Suggestion::kWaitForUser);
    const bool notifies = misuse_.op == OpKind::cond_signal || misuse_.op == OpKind::cond_broadcast;
    if (!explanation.empty() && notifies)
      add_awaited_end(explanation, trace_, failure_, symbols_, *past_.destroyed, misuse_.thread,
                      true);
    return explanation;
  }

  Explanation destroyed() {
    const bool lock = is_lock(misuse_.object.cls);
    const auto user = of_another(lock ? past_.holders : past_.waiters, misuse_.thread);
    if (!user) return {};
    return told(lock ? Cause::kDestroyedLocked : Cause::kDestroyedAwaited, StepAction::kDestroys,
                {*user}, Suggestion::kAwaitRelease);
  }

  // It is given back by a thread that has given it back before, or that never had it.
  Explanation not_held() {
    const auto own = past_.released.find(raw(misuse_.thread));
    if (past_.holders.contains(raw(misuse_.thread))) return {};  // another took it away
    if (const auto holder = of_another(past_.holders, misuse_.thread)) {
      return told(Cause::kHeldByAnother, StepAction::kUnlocks, {*holder},
                  own == past_.released.end() ? Suggestion::kUnlockOwn : Suggestion::kUnlockOnce);
    }
    if (own == past_.released.end()) return {};
    return told(Cause::kUnlockedTwice, StepAction::kUnlocks, {own->second},
                Suggestion::kUnlockOnce);
  }

  // The first event is what makes the misuse one; the misuse itself is the last step.
  Explanation told(Cause cause, StepAction action, std::set<std::size_t> events,
                   Suggestion suggestion) {
    const std::size_t first = *events.begin();
    const auto own = past_.released.find(raw(misuse_.thread));
    const bool before = suggestion == Suggestion::kUnlockOnce && own != past_.released.end();
    if (before) events.insert(own->second);
    teller_.look_at(events);
    Explanation explanation;
    explanation.cause = cause;
    explanation.suggestion = suggestion;
    explanation.object = teller_.object(first);
    // A block of unknown type has no names inside.
    if (explanation.object.name.starts_with("block")) explanation.object = {};
    if (explanation.object.name.empty()) explanation.object.ref = misuse_.object;
    explanation.first = teller_.access(first);
    // Without optimisation the library's headers are all that an unmodified program shows of it.
    if (explanation.first.where.line == 0) return {};
    // A call in the place of a return leaves no place; a use is nothing without one.
    if (misuse_.where.line == 0 && cause == Cause::kUseAfterDestruction) return {};
    if (before) explanation.middle = teller_.access(own->second);
    explanation.last.thread = misuse_.thread;
    explanation.last.where = misuse_.where;
    for (const std::size_t event : events) {
      ExplainedStep step = teller_.step(event);
      step.object.clear();
      teller_.add_step(explanation, std::move(step));
    }
    ExplainedStep last;
    last.thread = misuse_.thread;
    last.step = misuse_.step;
    last.where = misuse_.where;
    last.action = action;
    last.violates = true;
    teller_.add_step(explanation, std::move(last));
    return explanation;
  }

  const KeptTrace& trace_;
  const Failure& failure_;
  const MisuseLine& misuse_;
  Symbolizer& symbols_;
  const Past past_;
  Storyteller teller_;
};

}  // namespace

Explanation explain_misuse(const KeptTrace& trace, const Failure& failure, const MisuseLine& misuse,
                           Symbolizer& symbols) {
  Explanation explanation = Misused(trace, failure, misuse, symbols).run();
  explanation.locks_as_in_c = locks_as_in_c(trace);
  return explanation;
}

std::optional<Explanation> find_destroyed_lock(const CauseSearch& search) {
  for (const MisuseLine& misuse : search.failure.misuses) {
    if (misuse.op != OpKind::destroy) continue;
    Explanation explanation = explain_misuse(search.trace, search.failure, misuse, search.symbols);
    if (explanation.cause != Cause::kDestroyedLocked) continue;
    const bool involved =
        misuse.thread == search.failing || explanation.first.thread == search.failing;
    if (involved) return explanation;
  }
  return std::nullopt;
}

std::optional<Explanation> find_last_misuse(const CauseSearch& search) {
  for (const MisuseLine& misuse : search.failure.misuses) {
    if (misuse.thread != search.failing || misuse.more != 0) continue;
    const std::vector<Event>& events = search.events();
    const bool goes_on = std::any_of(events.begin(), events.end(), [&](const Event& event) {
      const bool access = is_access(event.kind) || is_atomic(event.kind);
      return event.thread == search.failing &&
             (access ? event.step >= misuse.step : event.step > misuse.step);
    });
    if (goes_on) continue;
    Explanation explanation = explain_misuse(search.trace, search.failure, misuse, search.symbols);
    if (!explanation.empty()) return explanation;
  }
  return std::nullopt;
}

std::optional<Explanation> find_use_of_destroyed(const CauseSearch& search) {
  if (!search.failure.verdict || !search.failure.verdict->fault) return std::nullopt;
  for (const ThreadLine& line : search.failure.threads) {
    if (line.id != search.failing || line.address == 0 || line.last_steps.empty()) continue;
    const auto own = std::find_if(line.stack.begin(), line.stack.end(),
                                  [](const Frame& frame) { return frame.in_program; });
    const StepLine& last = line.last_steps.back();
    const bool notifies = last.op == OpKind::cond_signal || last.op == OpKind::cond_broadcast;
    if (own == line.stack.end() || !notifies) continue;
    MisuseLine use;
    use.thread = line.id;
    use.op = last.op;
    use.object = last.object;
    use.where = own->where;
    use.address = line.address;
    use.step = last.step;
    Explanation explanation = explain_misuse(search.trace, search.failure, use, search.symbols);
    if (explanation.cause == Cause::kUseAfterDestruction) return explanation;
  }
  return std::nullopt;
}

}  // namespace raddle
