#include "host/describe/explain/lifetimes/released_guard.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "host/describe/explain/events/storyteller.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

std::set<std::uint64_t> locks_taken(const std::vector<Event>& events, ThreadId thread,
                                    std::size_t before) {
  std::set<std::uint64_t> locks;
  for (std::size_t i = 0; i < before; ++i) {
    const bool takes = events[i].kind == EventKind::acquire && events[i].value == 1;
    if (takes && events[i].thread == thread) locks.insert(events[i].object);
  }
  return locks;
}

// The user had a lock before it used the object, and the other thread took that lock between this
// and the free: who holds it until the use is over keeps the object.
struct Guard {
  std::uint64_t lock = 0;
  std::size_t taken = 0;     // by the user
  std::size_t released = 0;  // likewise
  std::size_t by_owner = 0;  // taken
};

std::optional<Guard> released_guard(const std::vector<Event>& events, const FreedAndUsed& found) {
  const ThreadId owner = events[found.freed].thread;
  if (found.user == owner) return std::nullopt;
  std::map<std::uint64_t, std::size_t> taken;     // by the user, released again
  std::map<std::uint64_t, std::size_t> released;  // when
  std::optional<Guard> guard;
  for (std::size_t i = 0; i < found.used; ++i) {
    const Event& event = events[i];
    const bool takes = event.kind == EventKind::acquire && event.value == 1;
    const bool releases = event.kind == EventKind::release && event.value == 0;
    if (event.thread == found.user && takes) {
      taken[event.object] = i;
      released.erase(event.object);
      if (guard && guard->lock == event.object) guard.reset();
    }
    if (event.thread == found.user && releases && taken.contains(event.object)) {
      released[event.object] = i;
    }
    if (event.thread == owner && takes && i < found.freed && released.contains(event.object)) {
      guard = Guard{event.object, taken[event.object], released[event.object], i};
    }
  }
  return guard;
}

bool is_shared(const Explanation& explanation) {
  return explanation.object.name.starts_with("object of a shared_ptr");
}

// Who destroys it once more does not need it any longer.
bool ends_it(const Explanation& explanation) {
  const std::vector<std::string>& inside = explanation.last.inside;
  return std::any_of(inside.begin(), inside.end(),
                     [](const std::string& name) { return is_destructor(name); });
}

// Threads meet by something that lies in what is freed: a mutex, a condition, an atomic.
bool has_sync(const std::vector<Event>& events, std::size_t freed) {
  if (events[freed].kind != EventKind::free) return false;
  const std::uint64_t block = events[freed].object;
  std::uint64_t size = std::max<std::uint64_t>(events[freed].value, 1);
  bool found = false;
  for (std::size_t i = 0; i < freed; ++i) {
    const Event& event = events[i];
    if (event.kind == EventKind::allocate && event.object == block) {
      size = event.value;
      found = false;
    }
    const EventKind kind = event.kind;
    const bool sync = kind == EventKind::acquire || kind == EventKind::release ||
                      kind == EventKind::wait || kind == EventKind::notify ||
                      kind == EventKind::signal || kind == EventKind::await ||
                      (is_atomic(kind) && kind != EventKind::fence);
    found = found || (sync && event.object >= block && event.object - block < size);
  }
  return found;
}

}  // namespace

bool is_own_class(const std::string& name) {
  constexpr std::string_view kOfLibrary[] = {"block", "a block", "element of", "object of",
                                             "std::"};
  return !name.empty() && std::none_of(std::begin(kOfLibrary), std::end(kOfLibrary),
                                       [&](auto kind) { return name.starts_with(kind); });
}

void add_released_guard(Explanation& explanation, const FreedAndUsed& found, const KeptTrace& trace,
                        const Failure& failure, Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  const ThreadId owner = events[found.freed].thread;
  const std::set<std::uint64_t> user = locks_taken(events, found.user, found.used);
  for (const std::uint64_t lock : locks_taken(events, owner, found.freed)) {
    explanation.common_lock = explanation.common_lock || user.contains(lock);
  }
  explanation.has_sync = has_sync(events, found.freed);
  if (explanation.lock) return;
  const bool own = is_shared(explanation) && found.user != owner && !ends_it(explanation) &&
                   explanation.suggestion == Suggestion::kNone;
  if (own) explanation.suggestion = Suggestion::kOwnShared;
  const std::optional<Guard> guard = released_guard(events, found);
  // Nobody holds the lock while the object ends that has it.
  if (!guard || ends_it(explanation)) return;
  Storyteller teller(trace, failure, symbols);
  teller.look_at({guard->taken, guard->released, guard->by_owner});
  explanation.lock = ExplainedLock{teller.lock_name(guard->lock), teller.where(guard->taken)};
  if (teller.where(guard->by_owner).line != 0)
    explanation.lock->other_taken = teller.where(guard->by_owner);
  explanation.ownable = explanation.suggestion == Suggestion::kKeepAlive ||
                        explanation.suggestion == Suggestion::kKeepUndestroyed;
  // A function that has returned cannot hold it any longer.
  const std::vector<std::string>& inside = explanation.last.inside;
  explanation.lock->first =
      std::find(inside.begin(), inside.end(), explanation.lock->taken->function) != inside.end();
  if (teller.where(guard->released).line != 0) explanation.early = teller.access(guard->released);
  explanation.suggestion =
      is_shared(explanation) ? Suggestion::kOwnShared : Suggestion::kHoldWhileUsed;
}

}  // namespace raddle
