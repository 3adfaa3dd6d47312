// A wait that does not look at what it is signalled for: a worker waits until its queue has
// something, and nothing there tells it of the flag that is set when it is to end.
#include <algorithm>
#include <set>

#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/final_waits.hpp"

namespace raddle {
namespace {

class UnwatchedChange {
 public:
  UnwatchedChange(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols)
      : events_(trace.all()),
        history_(trace),
        teller_(trace, failure, symbols),
        waits_(failure, history_, teller_) {}

  std::optional<Explanation> run() {
    for (const FinalWait& wait : waits_.all()) {
      if (!wait.wait) continue;
      const auto signal = waits_.notify_between(waits_.condition_of(wait), 0, events_.size());
      // What came after it had the lock it could not see.
      if (!signal || *signal > wait.since || events_[*signal].thread == wait.thread) continue;
      const std::vector<Access> looks = waits_.looks(wait);
      if (looks.empty() || are_changed(looks)) continue;
      const auto change = unseen_change(wait, *signal);
      if (!change) continue;
      Explanation explanation = explain(wait, *signal, *change, looks.front());
      if (!explanation.other.name.empty()) return explanation;
    }
    return std::nullopt;
  }

 private:
  // Then the waiter looks at the right thing, and nobody told it.
  bool are_changed(const std::vector<Access>& looks) const {
    return std::any_of(looks.begin(), looks.end(), [&](const Access& look) {
      const std::vector<AccessHistory::Entry>& all = history_.at(events_[look.event].object);
      return std::any_of(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
        return entry.access.event > look.event && waits_.changes(entry.access, look);
      });
    });
  }

  // The signaller's change, before its signal, of what the waiter has looked at before, or of the
  // only thing that it changed then; and the waiter did not look since.
  std::optional<std::size_t> unseen_change(const FinalWait& wait, std::size_t signal) {
    std::vector<std::size_t> changes = changes_before(wait, signal);
    std::erase_if(changes, [&](std::size_t change) { return !is_unseen(wait, change); });
    for (const std::size_t change : changes)
      if (looked_before(wait, change)) return change;
    std::set<std::uint64_t> objects;
    for (const std::size_t change : changes) objects.insert(events_[change].object);
    if (objects.size() != 1 || is_read(*objects.begin())) return std::nullopt;
    return changes.front();
  }

  // Newest first, from the signal back to where the signaller took the waiter's lock, signalled
  // before or was woken.
  std::vector<std::size_t> changes_before(const FinalWait& wait, std::size_t signal) const {
    const std::uint64_t lock = events_[*wait.wait].value;
    std::vector<std::size_t> changes;
    for (std::size_t i = signal; i-- > 0;) {
      const Event& event = events_[i];
      if (event.thread != events_[signal].thread) continue;
      if (event.kind == EventKind::acquire && event.object == lock) break;
      if (event.kind == EventKind::notify || event.kind == EventKind::wake) break;
      if (access_of(event, i).writes) changes.push_back(i);
    }
    return changes;
  }

  // The last change of it; the waiter never changes it, does not look at it after that, and nobody
  // else who waits there does.
  bool is_unseen(const FinalWait& wait, std::size_t change) {
    const std::uint64_t object = events_[change].object;
    const auto last = history_.last_write(object, events_.size());
    if (!last || last->event != change) return false;
    for (const AccessHistory::Entry& entry : history_.at(object)) {
      const bool own = entry.access.thread == wait.thread;
      if (own && (entry.access.writes || entry.access.event > change)) return false;
    }
    return std::none_of(waits_.all().begin(), waits_.all().end(), [&](const FinalWait& other) {
      if (waits_.condition_of(other) != waits_.condition_of(wait)) return false;
      const std::vector<Access> looks = waits_.looks(other);
      return std::any_of(looks.begin(), looks.end(),
                         [&](const Access& look) { return events_[look.event].object == object; });
    });
  }

  bool looked_before(const FinalWait& wait, std::size_t change) const {
    const Access write = access_of(events_[change], change);
    const std::vector<AccessHistory::Entry>& all = history_.at(events_[change].object);
    return std::any_of(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
      return entry.access.thread == wait.thread && waits_.changes(write, entry.access);
    });
  }

  // The waiter's, before the change: after it there is none.
  std::optional<std::size_t> last_look(const FinalWait& wait, std::size_t change) const {
    std::optional<std::size_t> last;
    for (const AccessHistory::Entry& entry : history_.at(events_[change].object)) {
      const bool own = entry.access.thread == wait.thread && entry.access.reads;
      if (own && entry.access.event < change) last = entry.access.event;
    }
    return last;
  }

  void add_early_look(Explanation& explanation, const FinalWait& wait, std::size_t look) const {
    explanation.early = teller_.access(look);
    const std::uint64_t lock = events_[*wait.wait].value;
    const std::vector<std::uint64_t> held = teller_.stacks().held(look);
    const std::string name = teller_.lock_name(lock);
    if (!name.empty() && std::find(held.begin(), held.end(), lock) == held.end())
      explanation.lock = ExplainedLock{name, {}};
  }

  bool is_read(std::uint64_t object) const {
    const std::vector<AccessHistory::Entry>& all = history_.at(object);
    return std::any_of(all.begin(), all.end(),
                       [](const AccessHistory::Entry& entry) { return entry.access.reads; });
  }

  Explanation explain(const FinalWait& wait, std::size_t signal, std::size_t change,
                      const Access& look) {
    const auto wake = waits_.next(signal, EventKind::wake, waits_.condition_of(wait), wait.thread);
    std::set<std::size_t> shown = {signal, change, look.event};
    if (wake) shown.insert(*wake);
    const auto early = last_look(wait, change);
    if (early) shown.insert(*early);
    std::set<std::size_t> all = shown;
    all.insert(*wait.wait);
    teller_.look_at(all);
    Explanation explanation;
    explanation.cause = Cause::kUnwatchedChange;
    explanation.other = teller_.object(change);
    explanation.third = teller_.object(look.event);
    explanation.first = teller_.access(change);
    explanation.middle = teller_.access(look.event);
    explanation.change = teller_.access(signal);
    if (wake) explanation.late = teller_.access(*wake);
    if (early) add_early_look(explanation, wait, *early);
    explanation.suggestion = Suggestion::kWatchToo;
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

std::optional<Explanation> explain_unwatched_change(const KeptTrace& trace, const Failure& failure,
                                                    Symbolizer& symbols) {
  return UnwatchedChange(trace, failure, symbols).run();
}

}  // namespace raddle
