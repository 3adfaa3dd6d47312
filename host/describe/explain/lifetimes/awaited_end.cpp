#include "host/describe/explain/lifetimes/awaited_end.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/folded_calls.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/lifetimes/released_guard.hpp"
#include "host/symbols/names.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

constexpr std::size_t kReadLast = 16;  // places that the owner's decision is likely to depend on

struct Awaited {
  std::uint64_t lock = 0;
  std::size_t write = 0;                // by the user
  std::optional<std::size_t> released;  // by the user, between the two
  std::size_t look = 0;                 // by the owner
};

std::optional<std::size_t> release_between(const std::vector<Event>& events, ThreadId thread,
                                           std::uint64_t lock, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    const Event& event = events[i];
    if (event.thread == thread && event.kind == EventKind::release && event.object == lock &&
        event.value == 0)
      return i;
  }
  return std::nullopt;
}

// What ends is read by the destructors of its members, those of the library for one. Nobody goes by
// that, and no lock that ends with it can be held there.
bool is_by_destruction(const KeptTrace& trace, const ExplainedStacks& stacks, std::size_t look) {
  std::vector<std::size_t> inside = stacks.calls(look);
  inside.push_back(look);
  for (auto one = inside.rbegin(); one != inside.rend(); ++one) {
    for (const SiteFrame& frame : trace.site(trace.all()[*one].site).frames) {
      const bool own = !frame.file.empty() && !is_system_header(frame.file);
      if (own) return is_unwritten(frame) && is_destructor(frame.function);
      if (is_destructor(frame.function)) return true;
    }
  }
  return false;
}

// The owner read what the user had written with a lock held. It looked under that lock when the
// user had released it, or without it when the user had not.
std::optional<Awaited> find_awaited(const KeptTrace& trace, Symbolizer& symbols, std::size_t end,
                                    ThreadId user) {
  const std::vector<Event>& events = trace.all();
  const ThreadId owner = events[end].thread;
  const AccessHistory history(trace);
  ExplainedStacks stacks(trace, symbols);
  // Of what was written under the lock at that time, the owner looked first at what it waited for.
  std::optional<Awaited> first;
  std::optional<std::size_t> taken;
  for (const Access& look : history.last_reads(owner, end, kReadLast)) {
    const auto write = history.last_write(events[look.event].object, look.event);
    if (!write || write->thread != user || look.writes) continue;
    stacks.look_at({look.event, write->event});
    if (is_by_destruction(trace, stacks, look.event)) continue;
    const std::vector<std::uint64_t> own = stacks.held(look.event);
    for (const std::uint64_t lock : stacks.held(write->event)) {
      const bool locked = std::find(own.begin(), own.end(), lock) != own.end();
      const auto released = release_between(events, user, lock, write->event, look.event);
      const bool kept = !release_between(events, user, lock, write->event, end);
      if (locked ? !released : !kept) continue;
      const std::optional<std::size_t> then = stacks.taken(write->event, lock);
      if (first && (lock != first->lock || then != taken)) continue;
      first = Awaited{lock, write->event, released, look.event};
      taken = then;
    }
  }
  return first;
}

void insert_step(Explanation& explanation, ExplainedStep step, const Storyteller& teller) {
  Explanation unordered;  // lists the thread
  teller.add_step(unordered, step);
  for (const ExplainedThread& thread : unordered.threads) {
    const bool listed = std::any_of(explanation.threads.begin(), explanation.threads.end(),
                                    [&](const auto& one) { return one.id == thread.id; });
    if (!listed) explanation.threads.push_back(thread);
  }
  const auto at = std::find_if(
      explanation.steps.begin(), explanation.steps.end(), [&](const ExplainedStep& one) {
        const bool ends = one.action == StepAction::kFrees || one.action == StepAction::kDestroys;
        return one.step > step.step || (ends && one.step == step.step);
      });
  explanation.steps.insert(at, std::move(step));
}

}  // namespace

void add_awaited_end(Explanation& explanation, const KeptTrace& given, const Failure& failure,
                     Symbolizer& symbols, std::size_t end, ThreadId user, bool notifies) {
  const KeptTrace trace = fold_library_calls(given, symbols);
  const std::optional<Awaited> found = find_awaited(trace, symbols, end, user);
  if (!found || found->released.has_value() != notifies) return;
  std::set<std::size_t> shown = {found->write, found->look};
  if (found->released) shown.insert(*found->released);
  Storyteller teller(trace, failure, symbols);
  teller.look_at(shown);
  const ExplainedObject said = teller.object(found->look);
  if (said.name.empty()) return;
  for (const std::size_t event : shown)
    if (teller.where(event).line == 0) return;
  explanation.other = said;
  explanation.middle = teller.access(found->look);
  explanation.change = teller.access(found->write);
  explanation.lock = ExplainedLock{.name = teller.lock_name(found->lock)};
  ExplainedStacks stacks(trace, symbols);
  stacks.look_at({found->write});
  if (const auto taken = stacks.taken(found->write, found->lock)) {
    teller.look_at({*taken});
    explanation.lock->taken = teller.where(*taken);
  }
  if (found->released) explanation.early = teller.access(*found->released);
  explanation.suggestion = notifies ? Suggestion::kNotifyLocked : Suggestion::kLookLocked;
  for (const std::size_t event : shown) {
    ExplainedStep step =
        event == found->released ? teller.step(event, StepAction::kUnlocks) : teller.step(event);
    if (event == found->released) step.object = explanation.lock->name;
    if (event == found->released && step.object.empty()) step.object = "the lock";
    insert_step(explanation, std::move(step), teller);
  }
}

std::optional<Explanation> find_freed_while_locked(const KeptTrace& trace, const Failure& failure,
                                                   ThreadId holder, const std::vector<Where>& stack,
                                                   Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  std::map<std::uint64_t, std::size_t> held;
  std::map<std::uint64_t, std::uint64_t> sizes;
  std::optional<std::size_t> freed;
  std::uint64_t lock = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.kind == EventKind::allocate) sizes[event.object] = event.value;
    if (event.thread == holder && event.kind == EventKind::acquire)
      held.try_emplace(event.object, i);
    if (event.thread == holder && event.kind == EventKind::release && event.value == 0)
      held.erase(event.object);
    if (event.kind != EventKind::free || event.thread == holder) continue;
    const auto size = sizes.find(event.object);
    const std::uint64_t bytes = size == sizes.end() ? event.value : size->second;
    const auto inside = held.lower_bound(event.object);
    if (inside == held.end() || inside->first >= event.object + bytes) continue;
    freed = i;
    lock = inside->first;
  }
  if (!freed || !held.contains(lock) || stack.empty() || stack.front().line == 0)
    return std::nullopt;
  const std::size_t taken = held[lock];
  Storyteller teller(trace, failure, symbols);
  teller.look_at({taken, *freed});
  Explanation explanation;
  explanation.cause = Cause::kUseAfterFree;
  explanation.object = teller.object(*freed);
  explanation.first = teller.access(*freed);
  explanation.last.thread = holder;
  explanation.last.where = stack.front();
  explanation.last.inside = function_names(stack);
  if (explanation.first.where.line == 0) return std::nullopt;
  const std::string name =
      teller.lock_name(lock).empty() ? teller.object(taken).name : teller.lock_name(lock);
  for (const std::size_t event : {taken, *freed}) {
    ExplainedStep step =
        teller.step(event, event == taken ? StepAction::kLocks : StepAction::kFrees);
    step.object = event == taken ? (name.empty() ? "a mutex in it" : name) : std::string();
    teller.add_step(explanation, std::move(step));
  }
  if (is_own_class(explanation.object.name)) explanation.suggestion = Suggestion::kKeepAlive;
  add_awaited_end(explanation, trace, failure, symbols, *freed, holder, false);
  if (explanation.lock && explanation.lock->name.empty()) explanation.lock->name = name;
  add_released_guard(explanation, {*freed, events.size(), holder}, trace, failure, symbols);
  ExplainedStep unlock;
  unlock.thread = holder;
  unlock.step = events.back().step + 1;
  unlock.where = stack.front();
  unlock.action = StepAction::kUnlocks;
  unlock.object = name.empty() ? "a mutex in it" : name;
  unlock.violates = true;
  teller.add_step(explanation, std::move(unlock));
  return explanation;
}

}  // namespace raddle
