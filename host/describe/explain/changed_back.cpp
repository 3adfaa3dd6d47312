// A waiter that is woken for a change and finds it undone: who has changed it changes it back
// before the waiter has its lock again, as a thread does that comes round to a barrier for the next
// time.
#include <set>

#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/final_waits.hpp"

namespace raddle {
namespace {

class ChangedBack {
 public:
  ChangedBack(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols)
      : events_(trace.all()),
        history_(trace),
        teller_(trace, failure, symbols),
        waits_(failure, history_, teller_) {}

  std::optional<Explanation> run() {
    for (const FinalWait& wait : waits_.all()) {
      if (!wait.wait) continue;
      const auto wake = before(*wait.wait, EventKind::wake, wait.thread);
      if (!wake || events_[*wake].object != events_[*wait.wait].object || events_[*wake].value != 0)
        continue;
      const auto slept = before(*wake, EventKind::wait, wait.thread);
      const auto signal =
          slept ? waits_.notify_between(waits_.condition_of(wait), *slept, *wake) : std::nullopt;
      if (!signal || events_[*signal].thread == wait.thread) continue;
      for (const Access& look : waits_.looks(wait)) {
        if (look.event < *wake) continue;
        const auto changes = undone(look, *slept, *signal);
        if (!changes) continue;
        Explanation explanation = explain(wait, *signal, *wake, look, *changes);
        if (!explanation.other.name.empty()) return explanation;
      }
    }
    return std::nullopt;
  }

 private:
  struct Changes {
    std::size_t there = 0;
    std::size_t back = 0;
  };

  // The thread's last event of the kind before that one.
  std::optional<std::size_t> before(std::size_t event, EventKind kind, ThreadId thread) const {
    for (std::size_t i = event; i-- > 0;)
      if (events_[i].thread == thread && events_[i].kind == kind) return i;
    return std::nullopt;
  }

  // What was looked at the signaller had changed while the waiter slept, and changed again after
  // its signal. What another thread takes is not undone: that one had its use of it.
  std::optional<Changes> undone(const Access& look, std::size_t slept, std::size_t signal) const {
    const std::uint64_t object = events_[look.event].object;
    const auto back = history_.last_write(object, look.event);
    const auto there = history_.last_write(object, signal);
    if (!back || !there || there->event < slept || back->event < signal) return std::nullopt;
    const ThreadId signaller = events_[signal].thread;
    if (back->thread != signaller || there->thread != signaller) return std::nullopt;
    const auto seen = value_read(events_[look.event]);
    const auto shown = value_written(events_[there->event]);
    if (!seen || !shown || *seen == *shown || value_written(events_[back->event]) != seen)
      return std::nullopt;
    return Changes{there->event, back->event};
  }

  Explanation explain(const FinalWait& wait, std::size_t signal, std::size_t wake,
                      const Access& look, const Changes& changes) {
    const std::set<std::size_t> shown = {changes.there, signal, changes.back, wake, look.event};
    std::set<std::size_t> all = shown;
    all.insert(*wait.wait);
    teller_.look_at(all);
    Explanation explanation;
    explanation.cause = Cause::kChangedBack;
    explanation.other = teller_.object(look.event);
    explanation.first = teller_.access(changes.there);
    explanation.change = teller_.access(signal);
    explanation.early = teller_.access(changes.back);
    explanation.late = teller_.access(wake);
    explanation.middle = teller_.access(look.event);
    explanation.lock = ExplainedLock{teller_.lock_name(events_[*wait.wait].value), {}};
    explanation.suggestion = Suggestion::kCountRounds;
    teller_.add_steps(explanation, shown, events_.size());
    waits_.add_wait(explanation, wait);
    return explanation;
  }

  const std::vector<Event>& events_;
  AccessHistory history_;
  Storyteller teller_;
  FinalWaits waits_;
};

}  // namespace

std::optional<Explanation> explain_changed_back(const KeptTrace& trace, const Failure& failure,
                                                Symbolizer& symbols) {
  return ChangedBack(trace, failure, symbols).run();
}

}  // namespace raddle
