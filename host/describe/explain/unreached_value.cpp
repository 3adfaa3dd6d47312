// A thread waits for a variable to change (std::latch, std::atomic::wait, a futex), and nobody is
// left who could change it: facts.
#include <algorithm>

#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/storyteller.hpp"

namespace raddle {

std::optional<Explanation> explain_unreached_value(const KeptTrace& trace, const Failure& failure,
                                                   Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  for (const ThreadLine& line : failure.threads) {
    if (!line.blocked || line.doing.object.cls != ObjectClass::futex || line.address == 0) continue;
    std::optional<std::size_t> last;
    std::size_t changes = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const bool changed =
          events[i].kind == EventKind::atomic_update || events[i].kind == EventKind::atomic_store ||
          (events[i].kind == EventKind::atomic_compare && (events[i].flags & kSuccess) != 0);
      if (!changed || events[i].object != line.address || events[i].thread == line.id) continue;
      last = i;
      ++changes;
    }
    const auto own = std::find_if(line.stack.begin(), line.stack.end(),
                                  [](const Frame& frame) { return frame.in_program; });
    if (!last || own == line.stack.end()) continue;
    Storyteller teller(trace, failure, symbols);
    teller.look_at({*last});
    Explanation explanation;
    explanation.cause = Cause::kUnreachedValue;
    explanation.object = teller.object(*last);
    explanation.first = teller.access(*last);
    explanation.last.thread = line.id;
    explanation.last.where = own->where;
    explanation.posts = changes;
    if (explanation.object.name.empty() || explanation.first.where.line == 0) continue;
    teller.add_steps(explanation, {*last}, *last);
    explanation.steps.back().violates = false;
    return explanation;
  }
  return std::nullopt;
}

}  // namespace raddle
