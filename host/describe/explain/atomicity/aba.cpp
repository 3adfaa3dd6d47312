// A compare-and-swap that a value came back to.
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"

namespace raddle {
namespace {

struct Aba {
  std::size_t look = 0;      // the value that the exchange expects
  std::size_t away = 0;      // the other thread's first change
  std::size_t back = 0;      // its last: the value is there again
  std::size_t exchange = 0;  // succeeds
  std::size_t read = 0;      // what was read of another place meanwhile
  std::size_t changed = 0;   // and is not so any more
};

class AbaSearch {
 public:
  explicit AbaSearch(const CauseSearch& search) : search_(search), events_(search.events()) {}

  std::optional<Aba> find() const {
    std::optional<Aba> found;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      if (event.kind != EventKind::atomic_compare || (event.flags & kSuccess) == 0) continue;
      const std::optional<Aba> one = at(i);
      // The failing thread's own before others, and then the first: more may follow from it.
      const bool better = !found || (event.thread == search_.failing &&
                                     events_[found->exchange].thread != search_.failing);
      if (one && better) found = one;
    }
    return found;
  }

 private:
  std::optional<Aba> at(std::size_t exchange) const {
    const Event& event = events_[exchange];
    Aba aba;
    aba.exchange = exchange;
    bool away = false;
    bool looked = false;
    for (const AccessHistory::Entry& entry : search_.history.at(event.object)) {
      const Access& access = entry.access;
      if (access.event >= exchange) break;
      if (access.thread == event.thread) {
        looked = access.reads && value_read(events_[access.event]) == value_read(event);
        aba.look = access.event;
        away = false;
        aba.back = 0;
      } else if (access.writes) {
        if (!away) aba.away = access.event;
        away = true;
        aba.back = access.event;
      }
    }
    if (!looked || !away || aba.back == aba.away) return std::nullopt;
    if (value_written(events_[aba.away]) == value_read(event)) return std::nullopt;
    if (!stale(aba)) return std::nullopt;
    return aba;
  }

  // What the thread read after its look is not so any more: the exchange rests on it.
  bool stale(Aba& aba) const {
    for (std::size_t i = aba.exchange; i-- > aba.look;) {
      const Event& event = events_[i];
      if (event.thread != events_[aba.exchange].thread || !access_of(event, i).reads) continue;
      if (event.object == events_[aba.exchange].object) continue;
      const auto write = search_.history.last_write(event.object, aba.exchange);
      if (!write || write->event < i || write->thread == event.thread) continue;
      if (value_written(events_[write->event]) == value_read(event)) continue;
      aba.read = i;
      aba.changed = write->event;
      return true;
    }
    return false;
  }

  const CauseSearch& search_;
  const std::vector<Event>& events_;
};

}  // namespace

std::optional<Explanation> find_aba(const CauseSearch& search) {
  const std::optional<Aba> found = AbaSearch(search).find();
  if (!found) return std::nullopt;
  const std::set<std::size_t> shown = {found->look, found->read,    found->away,
                                       found->back, found->changed, found->exchange};
  Storyteller teller(search.trace, search.failure, search.symbols);
  teller.look_at(shown);
  Explanation explanation;
  explanation.cause = Cause::kAba;
  explanation.object = teller.object(found->look);
  explanation.other = teller.object(found->read);
  explanation.first = teller.access(found->look);
  explanation.middle = teller.access(found->away);
  explanation.last = teller.access(found->exchange);
  explanation.change = teller.access(found->changed);
  explanation.suggestion = Suggestion::kTagPointer;
  teller.add_steps(explanation, shown, found->exchange);
  return explanation;
}

}  // namespace raddle
