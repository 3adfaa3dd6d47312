#include <algorithm>

#include "host/describe/explain/events/release_place.hpp"
#include "host/describe/explain/explainer.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

namespace {

constexpr std::int64_t kSmallStep = 1024;  // between a count and the next

}  // namespace

bool Explainer::is_update() const {
  if (found_.kind != InterferenceKind::kCheckThenAct) return false;
  // Who looks again before it writes overwrites nothing.
  if (looks_again()) return false;
  const Where first = stacks_.stack(found_.first.event).front();
  const Where last = stacks_.stack(found_.last.event).front();
  if (first.line == last.line || first.line == 0) return true;
  const std::optional<std::int64_t> read = values_.at(found_.first.event).read;
  const std::optional<std::int64_t> written = values_.at(found_.last.event).written;
  // In one function, or by what one line calls: set(get() + 1).
  const Seen a = seen(found_.first.event);
  const Seen b = seen(found_.last.event);
  const bool one_line = !function_.empty() && !a.callee.empty() && !b.callee.empty() &&
                        a.where.line == b.where.line && a.where.line != 0;
  // Or by two calls of one function: get() at one line, set() at another. Flags and states are
  // looked at before they are set; what goes beyond 0 and 1 is counted.
  const auto is_count = [](const std::optional<std::int64_t>& value) {
    return value && (*value > 1 || *value < -1);
  };
  const bool two_calls = !function_.empty() && !a.callee.empty() && !b.callee.empty() &&
                         (is_count(read) || is_count(written));
  const bool in_one = first.function == last.function || one_line || two_calls;
  if (!in_one || event(found_.last).size <= 1 || !read || !written) return false;
  const std::int64_t step = *written - *read;
  // A descriptor that becomes -1, a count that becomes 0: the new value has nothing to do with the
  // old one.
  const bool resets = (*written == 0 || *written == -1) && step != 1 && step != -1;
  return step != 0 && step <= kSmallStep && -step <= kSmallStep && !resets;
}

bool Explainer::looks_again() const {
  if (found_.last.reads) return true;
  const auto between =
      accesses_between(trace_, found_.object, found_.middle.event + 1, found_.last.event - 1);
  return std::any_of(between.begin(), between.end(),
                     [&](const Access& access) { return access.thread == found_.last.thread; });
}

bool Explainer::acts() const {
  if (found_.kind == InterferenceKind::kCheckThenAct) return true;
  if (found_.kind != InterferenceKind::kReadAgain || groups_.empty()) return false;
  const std::vector<Access>& last = groups_.back().accesses;
  const bool writes =
      std::any_of(last.begin(), last.end(), [](const Access& a) { return a.writes; });
  return writes || stacks_.stack(found_.first.event).front().function !=
                       stacks_.stack(found_.last.event).front().function;
}

std::optional<std::int64_t> Explainer::found_value() const {
  if (of_locks() || of_vptr()) return std::nullopt;
  const Event& last = event(found_.last);
  if (found_.last.reads) return shown(last).read;
  std::optional<std::int64_t> value = shown(event(found_.middle)).written;
  const auto between =
      accesses_between(trace_, found_.object, found_.middle.event + 1, found_.last.event - 1);
  for (const Access& access : between) {
    if (access.writes) value = shown(event(access)).written;
  }
  return value;
}

bool Explainer::spans_threads() const {
  const std::vector<Event>& events = trace_.all();
  for (std::size_t i = found_.first.event; i < found_.last.event; ++i) {
    const bool thread_op = events[i].kind == EventKind::fork || events[i].kind == EventKind::join;
    if (thread_op && events[i].thread == found_.first.thread) return true;
  }
  return false;
}

bool Explainer::called_from_outside(const Access& access) const {
  const std::vector<std::size_t> calls = stacks_.calls(access.event);
  // What a thread runs is always called by the library.
  for (std::size_t i = 1; i < calls.size(); ++i) {
    if ((trace_.all()[calls[i]].flags & kCallback) != 0) return true;
  }
  return false;
}

bool Explainer::is_destroyed() const {
  const auto destroys = [&](const Access& access) {
    if (!access.writes) return false;
    const std::vector<SiteFrame>& frames = trace_.site(event(access).site).frames;
    return std::any_of(frames.begin(), frames.end(),
                       [](const SiteFrame& frame) { return is_destructor(frame.function); });
  };
  return destroys(found_.first) || destroys(found_.middle) || destroys(found_.last);
}

Cause Explainer::cause() const {
  if (of_vptr()) return is_destroyed() ? Cause::kDestroyedInUse : Cause::kUsedWhileMade;
  switch (found_.kind) {
    case InterferenceKind::kReadAgain:
      return acts() ? Cause::kCheckThenAct : Cause::kTwoReads;
    case InterferenceKind::kOverwritten:
      return Cause::kOverwritten;
    case InterferenceKind::kCheckThenAct:
      return is_update() ? Cause::kLostUpdate : Cause::kCheckThenAct;
    case InterferenceKind::kIntermediate:
      return Cause::kSeenHalfWay;
    case InterferenceKind::kUnordered:
      return Cause::kUnordered;
    case InterferenceKind::kLockReacquired:
      return Cause::kLockReacquired;
    case InterferenceKind::kWaited:
      return Cause::kNotLookedAgain;
  }
  return Cause::kNone;
}

ExplainedAccess Explainer::explained(const Access& access) const {
  const Seen at = seen(access.event);
  const SeenValues values = shown(event(access));
  ExplainedAccess explained;
  explained.thread = access.thread;
  explained.where = at.where;
  explained.function = unqualified(at.callee.empty() ? at.where.function : at.callee);
  explained.called = !at.callee.empty();
  explained.inside = function_names(stacks_.stack(access.event));
  explained.reads = access.reads;
  explained.writes = access.writes;
  explained.read = values.read;
  explained.written = values.written;
  return explained;
}

std::vector<std::uint64_t> Explainer::common_locks(std::size_t a, std::size_t b) const {
  std::vector<std::uint64_t> both;
  const std::vector<std::uint64_t> of_b = stacks_.held(b);
  for (const std::uint64_t lock : stacks_.held(a)) {
    if (std::find(of_b.begin(), of_b.end(), lock) != of_b.end()) both.push_back(lock);
  }
  return both;
}

std::optional<std::uint64_t> Explainer::lock() const {
  if (of_locks()) return found_.object;
  const std::vector<std::uint64_t> both = common_locks(found_.first.event, found_.last.event);
  for (const std::uint64_t lock : stacks_.held(found_.middle.event)) {
    if (std::find(both.begin(), both.end(), lock) != both.end()) return lock;
  }
  const std::vector<std::uint64_t> other = stacks_.held(found_.middle.event);
  if (!other.empty() && !both.empty() && places_under(both.back()) > places_under(other.back()))
    return both.back();
  if (!other.empty()) return other.back();
  if (!both.empty()) return both.back();
  return std::nullopt;
}

std::size_t Explainer::places_under(std::uint64_t lock) const {
  std::set<std::uint16_t> holders;
  std::set<SiteId> places;
  for (std::size_t i = 0; i < trace_.all().size(); ++i) {
    const Event& now = trace_.all()[i];
    if (now.object == lock && now.kind == EventKind::acquire) holders.insert(raw(now.thread));
    if (now.object == lock && now.kind == EventKind::release && now.value == 0)
      holders.erase(raw(now.thread));
    const Access access = access_of(now, i);
    if (now.object == found_.object && (access.reads || access.writes) &&
        holders.contains(raw(now.thread)))
      places.insert(now.site);
  }
  return places.size();
}

bool Explainer::nobody_knows_which_lock() const {
  const std::vector<std::uint64_t> both = common_locks(found_.first.event, found_.last.event);
  const std::vector<std::uint64_t> other = stacks_.held(found_.middle.event);
  const bool none_shared = std::none_of(other.begin(), other.end(), [&](std::uint64_t lock) {
    return std::find(both.begin(), both.end(), lock) != both.end();
  });
  return !of_locks() && none_shared && !both.empty() && !other.empty() &&
         places_under(both.back()) == places_under(other.back());
}

ExplainedLock Explainer::explained_lock(std::uint64_t lock) const {
  ExplainedLock explained;
  const auto known = lock_names_.find(lock);
  if (known != lock_names_.end()) explained.name = known->second;
  for (const Access* access : {&found_.middle, &found_.first, &found_.last}) {
    const std::optional<std::size_t> taken = stacks_.taken(access->event, lock);
    if (taken && !explained.taken) explained.taken = acquired_at(*taken, *access);
  }
  explained.released =
      release_between(trace_, found_.first.thread, lock, found_.first.event, found_.last.event);
  explained.first = holds(found_.first, lock);
  explained.middle = holds(found_.middle, lock);
  explained.last = holds(found_.last, lock);
  explained.middle_shared = found_.middle.writes && stacks_.shared(found_.middle.event, lock);
  const Access* without = !explained.first    ? &found_.first
                          : !explained.middle ? &found_.middle
                                              : nullptr;
  for (const std::uint64_t other :
       without == nullptr ? std::vector<std::uint64_t>{} : stacks_.held(without->event)) {
    const auto name = lock_names_.find(other);
    if (other == lock || name == lock_names_.end() || name->second.empty()) continue;
    explained.instead = name->second;
    if (without != nullptr) explained.instead_taken = taken_throughout(*without, other);
  }
  return explained;
}

// A library that takes the lock for the program has no line of it; the function that called it was
// entered before, and has not returned.
std::optional<Where> Explainer::acquired_at(std::size_t taken, const Access& access) const {
  Where where = stacks_.stack(taken).front();
  const std::vector<std::size_t> calls = stacks_.calls(access.event);
  const auto inner =
      std::find_if(calls.rbegin(), calls.rend(), [&](std::size_t enter) { return enter < taken; });
  if (where.empty() && inner != calls.rend()) where.function = stacks_.function(*inner);
  return where.empty() ? std::nullopt : std::optional(where);
}

std::optional<Where> Explainer::taken_throughout(const Access& access, std::uint64_t lock) const {
  const std::optional<std::size_t> taken = stacks_.taken(access.event, lock);
  const bool own = access.thread == found_.last.thread;
  if (!taken || (own && stacks_.taken(found_.last.event, lock) != taken)) return std::nullopt;
  const Where where = stacks_.stack(*taken).front();
  return where.line == 0 ? std::nullopt : std::optional(where);
}

bool Explainer::holds(const Access& access, std::uint64_t lock) const {
  const std::vector<std::uint64_t> held = stacks_.held(access.event);
  return std::find(held.begin(), held.end(), lock) != held.end();
}

// The disturbed thread let go of the lock by waiting on a condition.
std::optional<std::size_t> Explainer::waits_between(std::uint64_t lock) const {
  const std::vector<Event>& events = trace_.all();
  for (std::size_t i = found_.first.event; i < found_.last.event; ++i) {
    const Event& one = events[i];
    if (one.kind == EventKind::wait && one.thread == found_.first.thread && one.value == lock)
      return i;
  }
  return std::nullopt;
}

std::vector<std::string> Explainer::lockers(std::uint64_t lock) {
  const std::vector<Event>& events = trace_.all();
  std::set<std::size_t> acquisitions;
  if (const auto taken = stacks_.taken(found_.first.event, lock)) acquisitions.insert(*taken);
  for (std::size_t i = found_.first.event; i <= found_.last.event; ++i) {
    const bool takes = events[i].kind == EventKind::acquire && events[i].value == 1;
    const bool own = events[i].thread == found_.last.thread && events[i].object == lock;
    if (takes && own) acquisitions.insert(i);
  }
  stacks_.look_at(acquisitions);
  std::vector<std::string> names;
  for (const std::size_t event : acquisitions) {
    const Seen at = seen(event);
    if (at.callee.empty() && !function_.empty()) continue;
    const std::string name = unqualified(at.callee.empty() ? at.where.function : at.callee);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

bool Explainer::is_upgraded() const {
  const std::uint64_t which = *lock();
  return stacks_.shared(found_.first.event, which) && holds(found_.last, which) &&
         !stacks_.shared(found_.last.event, which);
}

bool Explainer::locks_itself(const std::string& function) const {
  const std::optional<std::uint64_t> which = lock();
  if (!which) return false;
  const std::optional<std::size_t> taken = stacks_.taken(found_.first.event, *which);
  if (!taken) return false;
  const std::vector<Where> stack = stacks_.stack(*taken);
  return !stack.empty() && unqualified(stack.front().function) == function;
}

bool Explainer::reads_twice(const Explanation& explanation) const {
  const ExplainedAccess& first = explanation.first;
  const ExplainedAccess& last = explanation.last;
  if (explanation.cause != Cause::kTwoReads || explanation.waited || spans_threads()) return false;
  if (first.writes || last.writes || first.where.function != last.where.function) return false;
  if (first.where.line == last.where.line) return false;
  if (first.called && last.called) return first.function == last.function;
  return !first.called && !last.called && event(found_.first).kind == EventKind::atomic_load &&
         event(found_.last).kind == EventKind::atomic_load;
}

Suggestion Explainer::suggestion(const Explanation& explanation) const {
  // A table of functions is nothing to be guarded or made atomic: the object must be there.
  if (of_vptr()) return is_destroyed() ? Suggestion::kKeepUndestroyed : Suggestion::kHandOver;
  // Two reads by one call, or by two calls of one line, of a function that does not lock itself, or
  // by a thread that did not fail: which function could hold a lock over both is not known.
  const bool one_call = explanation.first.called && explanation.last.called &&
                        explanation.first.function == explanation.last.function &&
                        explanation.first.where.line == explanation.last.where.line;
  const bool is_other = explanation.last.thread != failure_.thread;
  if (one_call && !explanation.last.writes &&
      (is_other || !locks_itself(explanation.first.function)))
    return Suggestion::kNone;
  if (reads_twice(explanation)) return Suggestion::kReadOnce;
  // A lock around single accesses leaves their order as open as it was; nobody can hold one while
  // it waits for threads that need it.
  if (found_.kind == InterferenceKind::kUnordered || spans_threads()) return Suggestion::kNone;
  if (explanation.waited) {
    const bool known = found_.kind != InterferenceKind::kWaited;
    return known && !looks_again() ? Suggestion::kLookAgain : Suggestion::kNone;
  }
  if (explanation.lock && explanation.lock->middle_shared) return Suggestion::kWriteLock;
  // A lock that is held for reading cannot be held on until it is held for writing.
  const bool in_one = explanation.first.where.function == explanation.last.where.function;
  if (explanation.lock && explanation.upgraded) {
    const bool here = in_one && !explanation.first.called && !explanation.last.called;
    if (here && explanation.last.writes) return Suggestion::kLookForWriting;
    return explanation.lockers.size() < 2 ? Suggestion::kNone : Suggestion::kLockOnce;
  }
  // Who calls both is not known.
  if (of_locks() && !have_one_caller()) return Suggestion::kNone;
  // Each has a lock all the time, and each another: with both in one place the other keeps out.
  const bool one_each = explanation.lock && explanation.lock->instead_taken &&
                        !explanation.lock->name.empty() &&
                        (explanation.lock->first == explanation.lock->last) &&
                        (!explanation.lock->first || stacks_.taken(found_.first.event, *lock()) ==
                                                         stacks_.taken(found_.last.event, *lock()));
  if (one_each) return Suggestion::kHoldWithOther;
  if (nobody_knows_which_lock()) return Suggestion::kNone;
  const bool throughout = explanation.lock && explanation.lock->first && explanation.lock->last &&
                          !explanation.lock->middle && !of_locks();
  if (throughout &&
      stacks_.taken(found_.first.event, *lock()) == stacks_.taken(found_.last.event, *lock()))
    return Suggestion::kHoldAtOther;
  // What one function takes, another cannot go on holding.
  if (explanation.lock && !in_one && explanation.lockers.size() < 2) return Suggestion::kNone;
  if (explanation.lock && !explanation.lockers.empty()) return Suggestion::kLockOnce;
  if (explanation.lock) return Suggestion::kHoldThroughout;
  const bool own_update = event(found_.first).kind == EventKind::atomic_update &&
                          event(found_.last).kind == EventKind::atomic_load;
  if (own_update && found_.kind == InterferenceKind::kOverwritten) return Suggestion::kUseResult;
  const bool atomic = is_atomic(event(found_.first).kind) && is_atomic(event(found_.last).kind);
  return atomic && is_update() ? Suggestion::kGuardOrAtomic : Suggestion::kGuard;
}

}  // namespace raddle
