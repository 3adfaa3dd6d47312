// Two threads that have each changed a variable and then wait for it to change: such as two readers
// of a lock made by hand, each of which waits to be the only one. Whether they wait for each other
// to take that back or for a third thread to do the same, the trace does not say: so these are
// facts, without advice, and told where nothing else is known.
#include <set>

#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/final_waits.hpp"

namespace raddle {
namespace {

class EachOther {
 public:
  EachOther(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols)
      : events_(trace.all()),
        history_(trace),
        teller_(trace, failure, symbols),
        waits_(failure, history_, teller_) {}

  std::optional<Explanation> run() {
    const std::vector<FinalWait>& all = waits_.all();
    for (auto one = all.begin(); one != all.end(); ++one) {
      for (auto other = one + 1; other != all.end(); ++other) {
        if (!one->wait || !other->wait) continue;
        if (events_[*one->wait].object != events_[*other->wait].object) continue;
        if (auto explanation = explain(*one, *other)) return explanation;
      }
    }
    return std::nullopt;
  }

 private:
  // What the thread has added to the variable and not taken back, in all, and its last write.
  struct Share {
    std::int64_t sum = 0;
    std::size_t write = 0;
  };
  std::optional<Share> share_of(ThreadId thread, std::uint64_t object) const {
    std::optional<Share> share;
    for (const AccessHistory::Entry& entry : history_.at(object)) {
      if (!entry.access.writes || entry.access.thread != thread) continue;
      const auto before = history_.last_write(object, entry.access.event);
      const auto from =
          before ? value_written(events_[before->event]) : value_read(events_[entry.access.event]);
      const auto to = value_written(events_[entry.access.event]);
      if (!to || (!from && before)) return std::nullopt;
      if (!share) share = Share{};
      share->sum += static_cast<std::int64_t>(*to - from.value_or(0));
      share->write = entry.access.event;
    }
    return share;
  }

  std::optional<Explanation> explain(const FinalWait& one, const FinalWait& other) {
    for (const Access& look : waits_.looks(one)) {
      const std::uint64_t object = events_[look.event].object;
      const auto first = share_of(one.thread, object);
      const auto second = share_of(other.thread, object);
      if (!first || !second || first->sum != second->sum || first->sum == 0) continue;
      if (!looks_at(other, object)) continue;
      // Nobody else has a share in it: the rest comes to nothing.
      const auto last = history_.last_write(object, events_.size());
      const auto seen = value_read(events_[look.event]);
      if (!last || (last->event != first->write && last->event != second->write) ||
          seen != value_written(events_[last->event]))
        continue;
      return told(one, other, look, *first, *second);
    }
    return std::nullopt;
  }

  bool looks_at(const FinalWait& wait, std::uint64_t object) {
    for (const Access& look : waits_.looks(wait))
      if (events_[look.event].object == object) return true;
    return false;
  }

  std::optional<Explanation> told(const FinalWait& one, const FinalWait& other, const Access& look,
                                  const Share& first, const Share& second) {
    const std::set<std::size_t> shown = {first.write, second.write, look.event};
    std::set<std::size_t> all = shown;
    all.insert({*one.wait, *other.wait});
    teller_.look_at(all);
    Explanation explanation;
    explanation.cause = Cause::kEachOther;
    explanation.other = teller_.object(look.event);
    if (explanation.other.name.empty()) return std::nullopt;
    explanation.first = teller_.access(first.write);
    explanation.middle = teller_.access(second.write);
    explanation.change = teller_.access(look.event);
    explanation.late = teller_.access(*other.wait);
    teller_.add_steps(explanation, shown, events_.size());
    teller_.add_step(explanation, teller_.step(*other.wait));
    explanation.steps.back().object.clear();
    waits_.add_wait(explanation, one);
    return explanation;
  }

  const std::vector<Event>& events_;
  AccessHistory history_;
  Storyteller teller_;
  FinalWaits waits_;
};

}  // namespace

std::optional<Explanation> explain_each_other(const KeptTrace& trace, const Failure& failure,
                                              Symbolizer& symbols) {
  return EachOther(trace, failure, symbols).run();
}

}  // namespace raddle
