// A lock whose holder has ended: nobody is left to unlock it.
#include <map>

#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/op_classes.hpp"

namespace raddle {
namespace {

struct Held {
  std::size_t acquired = 0;  // event
  std::size_t ended = 0;     // its thread's end
};

// By lock: those that threads took, never gave back and ended with.
std::map<std::uint64_t, Held> left_locked(const std::vector<Event>& events) {
  std::map<std::uint64_t, std::size_t> held;
  std::map<std::uint64_t, Held> left;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const bool shared = (event.flags & kShared) != 0;
    if (event.kind == EventKind::acquire && event.value == 1 && !shared) {
      held.insert_or_assign(event.object, i);
    }
    if (event.kind == EventKind::release && event.value == 0) {
      held.erase(event.object);
      left.erase(event.object);
    }
    if (event.kind != EventKind::thread_end) continue;
    for (const auto& [lock, acquired] : held) {
      if (events[acquired].thread == event.thread) left.insert_or_assign(lock, Held{acquired, i});
    }
  }
  return left;
}

}  // namespace

std::optional<Explanation> explain_left_locked(const KeptTrace& trace, const Failure& failure,
                                               Symbolizer& symbols) {
  const std::map<std::uint64_t, Held> left = left_locked(trace.all());
  for (const ThreadLine& line : failure.threads) {
    const auto lock = left.find(line.address);
    if (!line.blocked || !is_lock_op(line.doing.op) || lock == left.end()) continue;
    const Held& held = lock->second;
    Storyteller teller(trace, failure, symbols);
    teller.look_at({held.acquired, held.ended});
    Explanation explanation;
    explanation.cause = Cause::kLeftLocked;
    explanation.object = teller.object(held.acquired);
    if (explanation.object.name.empty()) explanation.object.ref = line.doing.object;
    explanation.first = teller.access(held.acquired);
    explanation.last.thread = line.id;
    for (const Frame& frame : line.stack) {
      if (!frame.in_program) continue;
      explanation.last.where = frame.where;
      break;
    }
    explanation.suggestion = Suggestion::kAlwaysUnlock;
    teller.add_step(explanation, teller.step(held.acquired));
    ExplainedStep end = teller.step(held.ended);
    end.violates = true;
    teller.add_step(explanation, std::move(end));
    return explanation;
  }
  return std::nullopt;
}

}  // namespace raddle
