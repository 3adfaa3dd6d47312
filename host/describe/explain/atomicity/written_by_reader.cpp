// A thread writes with a lock that it holds for reading only, while another one that holds it for
// reading, too, uses what is written.
#include <algorithm>
#include <iterator>
#include <map>

#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 16;    // places that the failure is likely to depend on
constexpr std::size_t kMostTried = 8;     // pairs that are tried to be told
constexpr std::size_t kMostAccesses = 4;  // of one thread to one place, that are compared

struct Hold {
  std::size_t taken = 0;  // events
  std::size_t released = 0;
  bool shared = false;
};

struct Pair {
  std::size_t write = 0;
  std::size_t other = 0;
  std::uint64_t lock = 0;
};

// Who held which lock when, of the whole execution.
class Holds {
 public:
  explicit Holds(const std::vector<Event>& events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      std::vector<Hold>& own = all_[raw(event.thread)][event.object];
      if (event.kind == EventKind::acquire) {
        own.push_back({i, events.size(), (event.flags & kShared) != 0});
      } else if (event.kind == EventKind::release && !own.empty()) {
        own.back().released = i;
      }
    }
  }

  // By lock: how the thread holds it at the event.
  std::map<std::uint64_t, Hold> at(ThreadId thread, std::size_t event) const {
    std::map<std::uint64_t, Hold> held;
    const auto own = all_.find(raw(thread));
    if (own == all_.end()) return held;
    for (const auto& [lock, holds] : own->second) {
      const auto next = std::partition_point(holds.begin(), holds.end(),
                                             [&](const Hold& one) { return one.taken < event; });
      if (next != holds.begin() && event < std::prev(next)->released) held[lock] = *std::prev(next);
    }
    return held;
  }

 private:
  std::map<std::uint16_t, std::map<std::uint64_t, std::vector<Hold>>> all_;
};

class Search {
 public:
  explicit Search(const CauseSearch& search)
      : search_(search),
        holds_(search.events()),
        teller_(search.trace, search.failure, search.symbols) {}

  std::optional<Explanation> find() {
    std::vector<Pair> pairs;
    for (const Access& read :
         search_.history.last_reads(search_.failing, search_.events().size(), kMostReads)) {
      if (auto pair = last_pair(search_.events()[read.event].object)) pairs.push_back(*pair);
    }
    // What was met last is nearest to the failure.
    std::sort(pairs.begin(), pairs.end(), [](const Pair& one, const Pair& other) {
      return std::max(one.write, one.other) > std::max(other.write, other.other);
    });
    if (pairs.size() > kMostTried) pairs.resize(kMostTried);
    for (const Pair& pair : pairs)
      if (auto told = explain(pair)) return told;
    return std::nullopt;
  }

 private:
  // Of the failing thread and another one, the last two accesses of the place that conflict.
  std::optional<Pair> last_pair(std::uint64_t place) const {
    const std::vector<AccessHistory::Entry>& all = search_.history.at(place);
    std::map<std::uint16_t, std::size_t> seen;
    for (auto own = all.rbegin(); own != all.rend(); ++own) {
      if (own->access.thread != search_.failing || !is_plain(own->access)) continue;
      if (++seen[raw(search_.failing)] > kMostAccesses) break;
      for (const AccessHistory::Entry& other : all) {
        const bool conflict = other.access.thread != search_.failing && is_plain(other.access) &&
                              (other.access.writes || own->access.writes);
        if (!conflict) continue;
        // Of two that write, who came between is the one to be told of.
        const bool by_other = other.access.writes;
        const Access& write = by_other ? other.access : own->access;
        const Access& met = by_other ? own->access : other.access;
        if (const auto lock = common(write, met)) return Pair{write.event, met.event, *lock};
      }
    }
    return std::nullopt;
  }

  bool is_plain(const Access& access) const {
    return is_access(search_.events()[access.event].kind);
  }

  // A lock that both hold for reading, at the same time; none if another one keeps them apart.
  std::optional<std::uint64_t> common(const Access& one, const Access& other) const {
    const std::map<std::uint64_t, Hold> first = holds_.at(one.thread, one.event);
    const std::map<std::uint64_t, Hold> second = holds_.at(other.thread, other.event);
    std::optional<std::uint64_t> found;
    for (const auto& [lock, hold] : first) {
      const auto same = second.find(lock);
      if (same == second.end()) continue;
      const bool apart = hold.released < same->second.taken || same->second.released < hold.taken;
      if (!hold.shared || !same->second.shared) return std::nullopt;
      if (!apart) found = lock;
    }
    return found;
  }

  std::optional<Explanation> explain(const Pair& pair) {
    const std::vector<Event>& events = search_.events();
    const Hold writer = holds_.at(events[pair.write].thread, pair.write)[pair.lock];
    const Hold reader = holds_.at(events[pair.other].thread, pair.other)[pair.lock];
    teller_.look_at({pair.write, pair.other, writer.taken, reader.taken});
    Explanation explanation;
    explanation.cause = Cause::kWrittenByReader;
    explanation.object = teller_.object(pair.write);
    explanation.first = explanation.middle = teller_.access(pair.write);
    explanation.last = teller_.access(pair.other);
    explanation.lock = ExplainedLock{teller_.lock_name(pair.lock), teller_.where(writer.taken),
                                     teller_.where(reader.taken)};
    explanation.lock->first = explanation.lock->middle = explanation.lock->last = true;
    explanation.lock->middle_shared = explanation.lock->last_shared = true;
    const bool told = !explanation.object.name.empty() && !explanation.lock->name.empty() &&
                      explanation.first.where.line != 0 && explanation.last.where.line != 0 &&
                      explanation.lock->taken->line != 0;
    if (!told) return std::nullopt;
    if (explanation.lock->other_taken->line == 0) explanation.lock->other_taken.reset();
    explanation.suggestion = Suggestion::kWriteLock;
    teller_.add_steps(explanation, {reader.taken, writer.taken, pair.write, pair.other},
                      std::max(pair.write, pair.other));
    return explanation;
  }

  const CauseSearch& search_;
  Holds holds_;
  Storyteller teller_;
};

}  // namespace

std::optional<Explanation> find_written_by_reader(const CauseSearch& search) {
  const bool any =
      std::any_of(search.events().begin(), search.events().end(), [](const Event& event) {
        return event.kind == EventKind::acquire && (event.flags & kShared) != 0;
      });
  return any ? Search(search).find() : std::nullopt;
}

}  // namespace raddle
