#include "host/describe/explain/lifetimes/owner_end.hpp"

#include <vector>

#include "host/describe/explain/events/explained_stack.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

// The call has not returned before `until`.
bool is_open(const std::vector<Event>& events, std::size_t enter, std::size_t until) {
  std::size_t depth = 0;
  for (std::size_t i = enter + 1; i < until; ++i) {
    if (events[i].thread != events[enter].thread) continue;
    if (events[i].kind == EventKind::enter) ++depth;
    if (events[i].kind == EventKind::exit && depth-- == 0) return false;
  }
  return true;
}

}  // namespace

void add_owner_end(Explanation& explanation, const FreedAndUsed& found, const KeptTrace& trace,
                   Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  if (found.used >= events.size() || events[found.freed].thread == found.user ||
      explanation.at_thread_end)
    return;
  ExplainedStacks stacks(trace, symbols);
  stacks.look_at({found.freed, found.used});
  for (const std::size_t destroys : stacks.calls(found.freed)) {
    const std::string destructor = stacks.function(destroys);
    if (events[destroys].object == 0 || !is_destructor(destructor)) continue;
    for (const std::size_t uses : stacks.calls(found.used)) {
      const std::string function = stacks.function(uses);
      // Whoever came when the destructor was done may have come to another object there.
      const bool same = events[uses].object == events[destroys].object &&
                        (uses < found.freed || is_open(events, destroys, uses));
      const std::string cls = destructor.substr(0, destructor.rfind("::~"));
      if (!same || is_destructor(function) || !function.starts_with(cls + "::")) continue;
      explanation.function = function;
      explanation.ends_in = destructor;
      explanation.suggestion = Suggestion::kJoinBeforeEnd;
      return;
    }
  }
}

}  // namespace raddle
