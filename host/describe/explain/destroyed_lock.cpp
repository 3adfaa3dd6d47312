// A lock that is destroyed while a thread holds it, as the runtime noticed.
#include <algorithm>
#include <map>

#include "host/describe/explain/cause_search.hpp"
#include "host/describe/explain/storyteller.hpp"

namespace raddle {
namespace {

// By thread: the locks that it holds at the end, with their acquisitions.
std::map<std::uint16_t, std::map<std::uint64_t, std::size_t>> held_at_end(
    const std::vector<Event>& events) {
  std::map<std::uint16_t, std::map<std::uint64_t, std::size_t>> held;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    auto& own = held[raw(event.thread)];
    if (event.kind == EventKind::acquire && event.value == 1) own.try_emplace(event.object, i);
    if (event.kind == EventKind::release && event.value == 0) own.erase(event.object);
  }
  return held;
}

Explanation told(const MisuseLine& misuse, std::size_t taken, const Storyteller& teller,
                 std::uint64_t step) {
  Explanation explanation;
  explanation.cause = Cause::kDestroyedLocked;
  explanation.object = teller.object(taken);
  explanation.first = teller.access(taken);
  explanation.last.thread = misuse.thread;
  explanation.last.where = misuse.where;
  explanation.suggestion = Suggestion::kAwaitRelease;
  teller.add_step(explanation, teller.step(taken));
  ExplainedStep destroys;
  destroys.thread = misuse.thread;
  destroys.step = step;
  destroys.where = misuse.where;
  destroys.action = StepAction::kDestroys;
  destroys.violates = true;
  teller.add_step(explanation, std::move(destroys));
  return explanation;
}

}  // namespace

std::optional<Explanation> find_destroyed_lock(const CauseSearch& search) {
  const std::vector<Event>& events = search.events();
  for (const MisuseLine& misuse : search.failure.misuses) {
    const bool of_lock = misuse.op == OpKind::destroy && (misuse.object.cls == ObjectClass::mutex ||
                                                          misuse.object.cls == ObjectClass::rwlock);
    if (!of_lock || misuse.more != 0 || misuse.object.name.path.empty()) continue;
    for (const auto& [thread, locks] : held_at_end(events)) {
      if (ThreadId{thread} == misuse.thread) continue;
      for (const auto& [lock, taken] : locks) {
        Storyteller teller(search.trace, search.failure, search.symbols);
        teller.look_at({taken});
        if (teller.lock_name(lock) != misuse.object.name.path) continue;
        const bool involved = misuse.thread == search.failing || ThreadId{thread} == search.failing;
        if (involved) return told(misuse, taken, teller, events.back().step + 1);
      }
    }
  }
  return std::nullopt;
}

}  // namespace raddle
