// The other thread came between two steps: the lock that was released there, and what would have
// kept it out.
#include <algorithm>
#include <set>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/turning/turning_scene.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

// The functions that took it, if one function called both.
static void name_lockers(TurningScene& scene, std::size_t first, std::size_t last,
                         Explanation& explanation) {
  scene.here.look_at({first});
  scene.there.look_at({last});
  std::vector<std::string> one = function_names(scene.here.stacks().stack(first));
  std::vector<std::string> other = function_names(scene.there.stacks().stack(last));
  if (one.empty() || other.empty() || one.front() == other.front()) return;
  // One of the two is the function that calls the other: it can hold the lock all the time.
  const auto calls = [](const std::vector<std::string>& stack, const std::string& name) {
    return std::find(stack.begin() + 1, stack.end(), name) != stack.end();
  };
  if (calls(one, other.front())) explanation.lockers = {unqualified(one.front())};
  if (calls(other, one.front())) explanation.lockers = {unqualified(other.front())};
  if (!explanation.lockers.empty()) return;
  const bool called_by_one = std::any_of(one.begin() + 1, one.end(), [&](const std::string& name) {
    return std::find(other.begin() + 1, other.end(), name) != other.end();
  });
  if (called_by_one) explanation.lockers = {unqualified(one.front()), unqualified(other.front())};
}

// One that is held at all three, so that it was released in between.
static void name_lock(TurningScene& scene, const Conflict& chosen, std::size_t begin,
                      Explanation& explanation) {
  for (const std::uint64_t lock : scene.here.stacks().held(begin)) {
    if (!scene.here.stacks().taken(chosen.early, lock) ||
        !scene.there.stacks().taken(chosen.late, lock))
      continue;
    if (scene.here.lock_name(lock).empty() || scene.there.stacks().shared(chosen.late, lock))
      continue;
    explanation.upgraded = scene.here.stacks().shared(begin, lock);
    explanation.lock = ExplainedLock{};
    explanation.lock->name = scene.here.lock_name(lock);
    explanation.lock->first = explanation.lock->middle = explanation.lock->last = true;
    name_lockers(scene, *scene.here.stacks().taken(begin, lock),
                 *scene.there.stacks().taken(chosen.late, lock), explanation);
    return;
  }
}

// The thread that came between writes with a lock that it has for reading only, and the other one
// had that lock all the time: for writing it could not have come.
static void name_read_lock(TurningScene& scene, const Conflict& chosen, std::size_t begin,
                           Explanation& explanation) {
  const std::vector<Event>& events = scene.failing.all();
  if (!access_of(events[chosen.early], chosen.early).writes) return;
  for (const std::uint64_t lock : scene.here.stacks().held(begin)) {
    const auto taken = scene.here.stacks().taken(chosen.early, lock);
    if (!taken || !scene.here.stacks().shared(chosen.early, lock)) continue;
    const bool kept =
        std::none_of(events.begin() + std::ptrdiff_t(begin),
                     events.begin() + std::ptrdiff_t(chosen.early), [&](const Event& event) {
                       return event.thread == events[begin].thread && event.object == lock &&
                              event.kind == EventKind::release;
                     });
    if (!kept || scene.here.lock_name(lock).empty()) continue;
    scene.here.look_at({*taken});
    explanation.lock = ExplainedLock{scene.here.lock_name(lock), scene.here.where(*taken)};
    explanation.lock->first = explanation.lock->middle = explanation.lock->last = true;
    explanation.lock->middle_shared = true;
    explanation.upgraded = false;
    explanation.lockers.clear();
    explanation.suggestion = Suggestion::kWriteLock;
    return;
  }
}

bool goes_on(TurningScene& scene, std::size_t begin, std::size_t late) {
  const auto functions = [](const std::vector<Where>& stack) { return function_names(stack); };
  const std::vector<std::string> first = functions(scene.here.stacks().stack(begin));
  const std::vector<std::string> last = functions(scene.there.stacks().stack(late));
  return !first.empty() && std::find(last.begin(), last.end(), first.front()) != last.end();
}

// The thread changed nothing that others see while it had the lock at the first step: what it
// saw is for the second one. Otherwise that was an operation of its own, such as taking what is
// given back later, and the two may well be meant to be apart.
static bool only_looks(TurningScene& scene, std::size_t begin, const Explanation& explanation) {
  const std::vector<Event>& events = scene.failing.all();
  for (const std::uint64_t lock : scene.here.stacks().held(begin)) {
    if (scene.here.lock_name(lock) != explanation.lock->name) continue;
    for (std::size_t i = *scene.here.stacks().taken(begin, lock); i < events.size(); ++i) {
      const bool own = events[i].thread == events[begin].thread;
      if (own && events[i].kind == EventKind::release && events[i].object == lock) break;
      if (own && access_of(events[i], i).writes && scene.history.is_shared(events[i].object))
        return false;
    }
  }
  return true;
}

// What is accessed while the lock that is held at the event is not given back.
template <typename Visit>
static void in_hold(TurningScene& scene, std::size_t taken, const Visit& visit) {
  const std::vector<Event>& events = scene.failing.all();
  for (std::size_t i = taken + 1; i < events.size(); ++i) {
    if (events[i].thread != events[taken].thread) continue;
    if (events[i].kind == EventKind::release && events[i].object == events[taken].object) return;
    visit(events[i], access_of(events[i], i));
  }
}

// While it has the lock once, the other thread reads what each of the two steps writes: to it they
// are one.
static bool is_read_at_once(TurningScene& scene, const Conflict& chosen, std::size_t begin,
                            const Explanation& explanation) {
  const std::uint64_t second = scene.failing.all()[chosen.early].object;
  if (!access_of(scene.failing.all()[chosen.early], chosen.early).reads ||
      !access_of(scene.passing.all()[chosen.late], chosen.late).writes)
    return false;
  for (const std::uint64_t lock : scene.here.stacks().held(begin)) {
    const auto reader = scene.here.stacks().taken(chosen.early, lock);
    if (!reader || scene.here.lock_name(lock) != explanation.lock->name) continue;
    std::set<std::uint64_t> written;
    in_hold(scene, *scene.here.stacks().taken(begin, lock),
            [&](const Event& event, const Access& access) {
              if (access.writes && event.object != second) written.insert(event.object);
            });
    bool both = false;
    in_hold(scene, *reader, [&](const Event& event, const Access& access) {
      both = both || (access.reads && written.contains(event.object));
    });
    return both;
  }
  return false;
}

// The thread sets what it found, and sets it back with the last step: what is between uses what
// it took, and is long on purpose.
static bool gives_back(TurningScene& scene, std::size_t begin, std::size_t late) {
  const Event& found = scene.failing.all()[begin];
  const Event& last = scene.passing.all()[late];
  const auto value = value_read(found);
  if (last.object != found.object || !value || value_written(last) != value) return false;
  const std::vector<AccessHistory::Entry>& all = scene.history.at(found.object);
  return std::any_of(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
    return entry.access.event > begin && entry.access.thread == found.thread &&
           entry.access.writes && value_written(scene.failing.all()[entry.access.event]) != value;
  });
}

// Both hold a lock at these two steps, and yet another one, or none, at the first: that they
// should hold one says nothing.
static bool is_locked_already(TurningScene& scene, const Conflict& chosen,
                              const Explanation& explanation) {
  if (explanation.lock) return false;
  const std::vector<std::uint64_t> held = scene.here.stacks().held(chosen.early);
  return std::any_of(held.begin(), held.end(), [&](std::uint64_t lock) {
    return scene.there.stacks().taken(chosen.late, lock).has_value();
  });
}

// The lock was given back by a wait, after which the thread went on from another line.
static void add_wait(TurningScene& scene, std::size_t begin, std::size_t early, std::size_t late,
                     std::optional<std::size_t> late_here, Explanation& explanation) {
  const std::vector<Event>& events = scene.failing.all();
  const std::size_t end = explanation.lock ? late_here.value_or(early) : 0;
  for (std::size_t i = begin; i < end; ++i) {
    const bool own = events[i].thread == events[begin].thread;
    if (!own || events[i].kind != EventKind::wait) continue;
    scene.here.look_at({i});
    if (scene.here.lock_name(events[i].value) != explanation.lock->name) continue;
    explanation.waited = scene.here.where(i);
    const bool looks = events[begin].object == scene.passing.all()[late].object &&
                       access_of(scene.passing.all()[late], late).reads;
    const bool elsewhere = explanation.first.where.line != explanation.last.where.line;
    if (looks && elsewhere && explanation.waited->line != 0)
      explanation.suggestion = Suggestion::kLookAgain;
    return;
  }
}

// Nobody can keep others out while it waits for them.
static bool spans_a_wait(TurningScene& scene, std::size_t begin) {
  const std::vector<Event>& events = scene.passing.all();
  const ThreadId thread = scene.failing.all()[begin].thread;
  const std::uint64_t from = scene.failing.all()[begin].step;
  return std::any_of(events.begin(), events.end(), [&](const Event& event) {
    return event.thread == thread && event.step >= from && event.step <= scene.point.passing_late &&
           (event.kind == EventKind::wait || event.kind == EventKind::join ||
            event.kind == EventKind::fork || event.kind == EventKind::await);
  });
}

void tell_of_locks_between(TurningScene& scene, const Conflict& chosen, std::size_t begin,
                           std::optional<std::size_t> late_here, Explanation& explanation) {
  name_lock(scene, chosen, begin, explanation);
  if (!spans_a_wait(scene, begin) && goes_on(scene, begin, chosen.late)) {
    explanation.suggestion =
        explanation.upgraded ? Suggestion::kLookForWriting : Suggestion::kKeepOut;
  } else if (!spans_a_wait(scene, begin) && !explanation.upgraded && !explanation.lockers.empty() &&
             (only_looks(scene, begin, explanation) ||
              is_read_at_once(scene, chosen, begin, explanation))) {
    explanation.suggestion = Suggestion::kLockOnce;
  }
  // At one place twice: by two calls, each of which has to give the lock back.
  const bool twice = explanation.first.where == explanation.last.where;
  if (twice || gives_back(scene, begin, chosen.late) ||
      is_locked_already(scene, chosen, explanation))
    explanation.suggestion = Suggestion::kNone;
  name_read_lock(scene, chosen, begin, explanation);
  add_wait(scene, begin, chosen.early, chosen.late, late_here, explanation);
}

}  // namespace raddle
