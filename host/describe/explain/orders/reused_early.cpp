// Memory that one thread handed to another by a pointer, such as a buffer of a ring, and wrote
// again while the other one read it.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "host/describe/explain/events/event_order.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 16;        // of the failing thread, that it may depend on
constexpr std::size_t kMostCandidates = 64;   // that are looked at, from both ends
constexpr std::uint64_t kSmallObject = 4096;  // bytes behind a pointer to it

struct Reused {
  std::size_t write = 0;   // what was handed over
  std::size_t known = 0;   // its writer writes a pointer to it
  std::size_t taken = 0;   // the reader reads that
  std::size_t again = 0;   // the next write
  std::size_t misled = 0;  // the read that found it
  bool ordered = false;    // `again` comes before it in every schedule with this order of locks
};

class ReusedSearch {
 public:
  explicit ReusedSearch(const CauseSearch& search)
      : search_(search), events_(search.events()), program_(search.trace) {}

  std::optional<Reused> find() {
    collect();
    // Of the failing thread what it read last; of another one, what misled it first.
    const std::size_t most = std::min(found_.size(), kMostCandidates);
    for (std::size_t i = 1; i <= most; ++i) {
      Reused& one = found_[found_.size() - i];
      if (is_read_last(one.misled) && !both_update(one) && is_handed_over(one)) return one;
    }
    for (std::size_t i = 0; i < most; ++i) {
      Reused& one = found_[i];
      if (feeds_failing(one.misled) && !both_update(one) && is_handed_over(one)) return one;
    }
    return std::nullopt;
  }

 private:
  struct Write {
    std::size_t event = 0;
    std::uint32_t moment = 0;
    std::vector<std::uint64_t> held;
  };
  struct Place {
    std::optional<Write> before;  // by the thread of `last`
    std::optional<Write> last;
    bool counts = false;  // its thread had read the place in between
    bool read = false;    // the thread of `last` has, since
  };

  void collect() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      order_.on(event);
      std::vector<std::uint64_t>& held = held_[raw(event.thread)];
      if (event.kind == EventKind::acquire && event.value == 1) held.push_back(event.object);
      if (event.kind == EventKind::release && event.value == 0) std::erase(held, event.object);
      if (event.kind == EventKind::allocate || event.kind == EventKind::free) forget(event);
      const bool plain = event.kind == EventKind::read || event.kind == EventKind::write;
      if (!plain) {
        if (access_of(event, i).writes) places_.erase(event.object);
        continue;
      }
      Place& place = places_[event.object];
      if (event.kind == EventKind::write) {
        const bool same = place.last && events_[place.last->event].thread == event.thread;
        place.before = same ? std::move(place.last) : std::nullopt;
        place.last = Write{i, order_.now(event.thread), held};
        place.counts = place.read;
        place.read = false;
      } else if (program_.contains(event.site)) {
        place.read =
            place.read || (place.last && events_[place.last->event].thread == event.thread);
        look(i, place);
      }
    }
  }

  void forget(const Event& block) {
    const std::uint64_t end = block.object + std::max<std::uint64_t>(block.value, 1);
    places_.erase(places_.lower_bound(block.object), places_.lower_bound(end));
  }

  // It found the second of two writes, and only the first one comes before it in every schedule
  // with this order of locks; or both do, since they are one place's, in a loop.
  void look(std::size_t read, const Place& place) {
    const Event& event = events_[read];
    if (!place.before || !place.last) return;
    const Event& again = events_[place.last->event];
    const Event& write = events_[place.before->event];
    if (again.thread == event.thread || !program_.contains(again.site)) return;
    if (value_read(event) != value_written(again) || !value_read(event)) return;
    if (value_written(write) == value_written(again)) return;
    const bool ordered = order_.before(again.thread, place.last->moment, event.thread);
    if (ordered && (write.site != again.site || place.counts)) return;
    if (!order_.before(write.thread, place.before->moment, event.thread)) return;
    const std::vector<std::uint64_t>& held = held_[raw(event.thread)];
    const bool guarded = std::any_of(held.begin(), held.end(), [&](std::uint64_t lock) {
      const std::vector<std::uint64_t>& other = place.last->held;
      return std::find(other.begin(), other.end(), lock) != other.end();
    });
    if (!guarded) found_.push_back({place.before->event, 0, 0, place.last->event, read, ordered});
  }

  bool is_read_last(std::size_t read) const {
    if (events_[read].thread != search_.failing) return false;
    const auto reads = search_.history.last_reads(search_.failing, events_.size(), kMostReads);
    return std::any_of(reads.begin(), reads.end(),
                       [&](const Access& one) { return one.event == read; });
  }

  // After it its thread wrote what the failing one read last.
  bool feeds_failing(std::size_t read) const {
    const auto reads = search_.history.last_reads(search_.failing, events_.size(), kMostReads);
    return std::any_of(reads.begin(), reads.end(), [&](const Access& one) {
      const auto write = search_.history.last_write(events_[one.event].object, one.event);
      return write && write->thread == events_[read].thread && write->event > read;
    });
  }

  // Both count, add or append there: a variable of both is nothing that one hands to the other.
  bool both_update(const Reused& one) const {
    const auto& entries = search_.history.at(events_[one.misled].object);
    bool again = false;   // its thread read the place last before it wrote there
    bool misled = false;  // its thread goes on to write there
    bool read = false;
    for (const AccessHistory::Entry& entry : entries) {
      const Access& access = entry.access;
      if (access.thread == events_[one.again].thread && access.event <= one.again) {
        if (access.event == one.again) again = read;
        read = access.reads;
      }
      if (access.thread != events_[one.misled].thread || access.event <= one.misled) continue;
      misled = access.writes;
      break;
    }
    return again && misled;
  }

  // Between its two writes the writer wrote a pointer to the place, which the reader read from
  // there before; and it did not write that pointer itself since, as who gives it back does.
  bool is_handed_over(Reused& one) const {
    const ThreadId reader = events_[one.misled].thread;
    const std::uint64_t place = events_[one.misled].object;
    const auto pointer = [&](std::size_t event, bool writes) -> std::optional<std::uint64_t> {
      const auto value = writes ? value_written(events_[event]) : value_read(events_[event]);
      const bool fits =
          value && events_[event].size == 8 && *value <= place && place - *value < kSmallObject;
      return fits ? value : std::nullopt;
    };
    for (std::size_t taken = one.misled; taken-- > one.write;) {
      if (events_[taken].thread != reader) continue;
      if (pointer(taken, true) && events_[taken].kind == EventKind::write &&
          search_.history.is_shared(events_[taken].object))
        return false;
      const auto value = pointer(taken, false);
      if (!value) continue;
      for (std::size_t known = std::min(taken, one.again); known-- > one.write + 1;) {
        const bool same = events_[known].object == events_[taken].object;
        if (!same || !access_of(events_[known], known).writes) continue;
        // What was written before the pointer was taken may be ordered by just that.
        const bool late = one.ordered && taken < one.again;
        if (events_[known].thread == events_[one.write].thread && pointer(known, true) == value &&
            !late) {
          one.known = known;
          one.taken = taken;
          return true;
        }
        break;
      }
    }
    return false;
  }

  const CauseSearch& search_;
  const std::vector<Event>& events_;
  ProgramSites program_;
  EventOrder order_{EventOrder::By::kEverything};
  std::map<std::uint64_t, Place> places_;
  std::unordered_map<std::uint16_t, std::vector<std::uint64_t>> held_;
  std::vector<Reused> found_;
};

}  // namespace

std::optional<Explanation> find_reused_early(const CauseSearch& search) {
  const std::optional<Reused> found = ReusedSearch(search).find();
  if (!found) return std::nullopt;
  Storyteller teller(search.trace, search.failure, search.symbols);
  const std::set<std::size_t> shown = {found->write, found->again, found->misled};
  std::set<std::size_t> all = shown;
  all.insert({found->known, found->taken});
  teller.look_at(all);
  Explanation explanation;
  explanation.cause = Cause::kReusedEarly;
  explanation.object = teller.object(found->misled);
  explanation.first = teller.access(found->write);
  explanation.early = teller.access(found->known);
  explanation.late = teller.access(found->taken);
  explanation.middle = teller.access(found->again);
  explanation.last = teller.access(found->misled);
  const bool known = std::all_of(all.begin(), all.end(),
                                 [&](std::size_t event) { return teller.where(event).line != 0; });
  if (!known || explanation.object.name.empty()) return std::nullopt;
  teller.add_steps(explanation, shown, found->misled);
  // One place has one name, though its writer may know it by less.
  for (ExplainedStep& step : explanation.steps) step.object.clear();
  // What came of the read elsewhere may have other causes as well, where all was in order.
  if (!found->ordered || explanation.last.thread == search.failing)
    explanation.suggestion = Suggestion::kAwaitReader;
  return explanation;
}

}  // namespace raddle
