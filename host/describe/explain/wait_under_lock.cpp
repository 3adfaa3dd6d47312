// A wait on a condition gives back one lock; who holds another one keeps it while it waits.
#include <algorithm>
#include <map>

#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/op_classes.hpp"

namespace raddle {
namespace {

// By thread: the wait that it is in at the end.
std::map<std::uint16_t, std::size_t> last_waits(const std::vector<Event>& events) {
  std::map<std::uint16_t, std::size_t> waits;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind == EventKind::wait) waits[raw(events[i].thread)] = i;
    if (events[i].kind == EventKind::wake) waits.erase(raw(events[i].thread));
  }
  return waits;
}

void add_needy(Explanation& explanation, const ThreadLine& line) {
  explanation.middle.thread = line.id;
  for (const Frame& frame : line.stack) {
    if (!frame.in_program) continue;
    explanation.middle.where = frame.where;
    break;
  }
}

}  // namespace

std::optional<Explanation> explain_wait_under_lock(const KeptTrace& trace, const Failure& failure,
                                                   Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  for (const auto& [thread, wait] : last_waits(events)) {
    Storyteller teller(trace, failure, symbols);
    teller.look_at({wait});
    for (const std::uint64_t lock : teller.stacks().held(wait)) {
      if (lock == events[wait].value) continue;
      const auto needy =
          std::find_if(failure.threads.begin(), failure.threads.end(), [&](const ThreadLine& line) {
            return line.blocked && is_lock_op(line.doing.op) && line.address == lock;
          });
      if (needy == failure.threads.end()) continue;
      const std::size_t taken = *teller.stacks().taken(wait, lock);
      teller.look_at({taken, wait});
      Explanation explanation;
      explanation.cause = Cause::kWaitUnderLock;
      explanation.object = teller.object(taken);
      if (explanation.object.name.empty()) explanation.object.ref = needy->doing.object;
      explanation.other = teller.object(wait);
      if (explanation.other.name.empty()) explanation.other.name = "a condition variable";
      explanation.lock = ExplainedLock{teller.lock_name(events[wait].value), {}};
      explanation.first = teller.access(taken);
      explanation.last = teller.access(wait);
      add_needy(explanation, *needy);
      explanation.suggestion = Suggestion::kReleaseToWait;
      teller.add_steps(explanation, {taken, wait}, wait);
      return explanation;
    }
  }
  return std::nullopt;
}

}  // namespace raddle
