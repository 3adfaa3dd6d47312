// A thread looked at something under a lock, gave the lock up and took it again, and acted on what
// it had seen; in between another thread did the same. What it looked at and what it then writes
// need not be one place, as of a map, which is searched at one and changed at another.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "host/describe/explain/events/release_place.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"

namespace raddle {
namespace {

struct Hold {
  std::uint64_t lock = 0;
  ThreadId thread{};
  std::size_t taken = 0;
  std::size_t released = 0;
  std::size_t call = 0;  // the enter event of the function that takes it
};

struct Lapsed {
  Hold look;
  Hold act;
  std::size_t read = 0;
  std::size_t change = 0;  // of that, by another thread
  std::size_t write = 0;   // where the other thread wrote, too
};

class Search {
 public:
  explicit Search(const CauseSearch& search) : search_(search), events_(search.events()) {
    find_holds();
  }

  std::optional<Explanation> run() {
    std::map<std::pair<std::uint16_t, std::uint64_t>, const Hold*> before;  // by thread and lock
    for (const Hold& act : holds_) {
      const Hold*& look = before[{raw(act.thread), act.lock}];
      const bool again = look != nullptr && look->call == act.call && act.call != 0 &&
                         (events_[act.taken].flags & (kShared | kByWait)) == 0;
      if (again) {
        if (auto found = between(*look, act)) return found;
      }
      look = &act;
    }
    return std::nullopt;
  }

 private:
  void find_holds() {
    std::map<std::uint16_t, std::vector<std::size_t>> calls;
    std::map<std::pair<std::uint16_t, std::uint64_t>, Hold> open;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      std::vector<std::size_t>& own = calls[raw(event.thread)];
      if (event.kind == EventKind::enter) own.push_back(i);
      if (event.kind == EventKind::exit && !own.empty()) own.pop_back();
      const std::pair key(raw(event.thread), event.object);
      if (event.kind == EventKind::acquire && event.value == 1)
        open[key] = {event.object, event.thread, i, 0, own.empty() ? 0 : own.back()};
      if (event.kind != EventKind::release || event.value != 0) continue;
      const auto held = open.find(key);
      if (held == open.end()) continue;
      held->second.released = i;
      holds_.push_back(held->second);
      open.erase(held);
    }
    std::stable_sort(holds_.begin(), holds_.end(),
                     [](const Hold& one, const Hold& other) { return one.taken < other.taken; });
  }

  bool held(ThreadId thread, std::uint64_t lock, std::size_t event) const {
    return std::any_of(holds_.begin(), holds_.end(), [&](const Hold& one) {
      return one.thread == thread && one.lock == lock && one.taken < event && event < one.released;
    });
  }

  std::optional<Explanation> between(const Hold& look, const Hold& act) const {
    std::map<std::uint64_t, std::size_t> reads;  // by place: the last
    for (std::size_t i = look.taken; i < look.released; ++i) {
      const Access access = access_of(events_[i], i);
      if (access.thread == look.thread && access.reads && !access.writes &&
          search_.history.is_shared(events_[i].object))
        reads[events_[i].object] = i;
    }
    std::optional<Lapsed> found;
    for (const auto& [place, read] : reads) {
      const std::optional<std::size_t> change = changed(place, read, look, act);
      if (!change) continue;
      if (uses(place, act)) return std::nullopt;  // it looks again
      const auto write = written_by_both(act, look.released, events_[*change].thread);
      if (write && (!found || read < found->read)) found = {look, act, read, *change, *write};
    }
    return found ? explain(*found) : std::nullopt;
  }

  // By another thread with the lock, while this one did not have it.
  std::optional<std::size_t> changed(std::uint64_t place, std::size_t read, const Hold& look,
                                     const Hold& act) const {
    std::optional<std::size_t> last;
    for (const AccessHistory::Entry& entry : search_.history.at(place)) {
      const Access& write = entry.access;
      if (!write.writes || write.event < look.released || write.event > act.taken) continue;
      if (write.thread == look.thread || !held(write.thread, look.lock, write.event)) continue;
      if (value_written(events_[write.event]) == value_read(events_[read])) continue;
      last = write.event;
    }
    return last;
  }

  bool uses(std::uint64_t place, const Hold& act) const {
    const auto& all = search_.history.at(place);
    return std::any_of(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
      return entry.access.thread == act.thread && entry.access.event > act.taken &&
             entry.access.event < act.released;
    });
  }

  // The last write of the second hold at a place that the other thread wrote in between.
  std::optional<std::size_t> written_by_both(const Hold& act, std::size_t since,
                                             ThreadId other) const {
    for (std::size_t i = act.released; i-- > act.taken;) {
      if (events_[i].thread != act.thread || !access_of(events_[i], i).writes) continue;
      const auto& all = search_.history.at(events_[i].object);
      const bool both = std::any_of(all.begin(), all.end(), [&](const auto& entry) {
        return entry.access.thread == other && entry.access.writes && entry.access.event > since &&
               entry.access.event < act.taken;
      });
      if (both) return i;
    }
    return std::nullopt;
  }

  std::optional<Explanation> explain(const Lapsed& found) const {
    Storyteller teller(search_.trace, search_.failure, search_.symbols);
    teller.look_at({found.look.taken, found.read, found.change, found.act.taken, found.write});
    Explanation explanation;
    explanation.cause = Cause::kCheckThenAct;
    explanation.pattern = InterferenceKind::kCheckThenAct;
    explanation.object = teller.object(found.read);
    explanation.function = teller.where(found.read).function;
    explanation.first = teller.access(found.read);
    explanation.middle = teller.access(found.change);
    explanation.last = teller.access(found.write);
    // Both do the same: what one has done already is not to be done again.
    const bool same = explanation.middle.where.function == explanation.function &&
                      explanation.last.where.function == explanation.function;
    const std::string lock = teller.lock_name(found.look.lock);
    if (!same || explanation.object.name.empty() || lock.empty() ||
        explanation.first.where.line == 0 || explanation.middle.where.line == 0 ||
        explanation.last.where.line == 0)
      return std::nullopt;
    // Not what was written there: that is another place.
    explanation.last.read = explanation.last.written = std::nullopt;
    explanation.last.reads = false;
    explanation.lock = ExplainedLock{.name = lock, .first = true, .middle = true, .last = true};
    explanation.lock->taken = teller.where(found.look.taken);
    explanation.lock->taken_again = teller.where(found.act.taken);
    explanation.lock->released = release_place(search_.trace, found.look.released);
    explanation.upgraded = (events_[found.look.taken].flags & kShared) != 0;
    explanation.suggestion =
        explanation.upgraded ? Suggestion::kLookForWriting : Suggestion::kHoldThroughout;
    for (const std::size_t event : {found.read, found.change, found.write}) {
      ExplainedStep step = teller.step(event);
      if (event == found.read) step.object = explanation.object.field;
      step.violates = event == found.write;
      teller.add_step(explanation, std::move(step));
    }
    return explanation;
  }

  const CauseSearch& search_;
  const std::vector<Event>& events_;
  std::vector<Hold> holds_;
};

}  // namespace

std::optional<Explanation> find_lapsed_look(const CauseSearch& search) {
  return Search(search).run();
}

}  // namespace raddle
