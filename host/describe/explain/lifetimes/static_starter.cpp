#include "host/describe/explain/lifetimes/static_starter.hpp"

#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/describe/explain/events/explained_stack.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

std::optional<std::size_t> start_of(const std::vector<Event>& events, ThreadId thread) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool starts = events[i].kind == EventKind::fork;
    if (starts && ThreadId{static_cast<std::uint16_t>(events[i].value)} == thread) return i;
  }
  return std::nullopt;
}

// In no block of the heap, and no local variable that the trace knows.
bool is_static(const std::vector<Event>& events, std::uint64_t object, std::size_t at) {
  std::map<std::uint64_t, std::uint64_t> taken;  // blocks and variables, each with its size
  for (std::size_t i = 0; i < at; ++i) {
    const Event& event = events[i];
    const bool begins = event.kind == EventKind::allocate || event.kind == EventKind::local;
    if (begins) taken[event.object] = event.value;
    if (event.kind == EventKind::free) taken.erase(event.object);
  }
  const auto after = taken.upper_bound(object);
  if (after == taken.begin()) return true;
  const auto& [begin, size] = *std::prev(after);
  return object - begin >= size;
}

}  // namespace

void add_static_starter(Explanation& explanation, const KeptTrace& trace, Symbolizer& symbols,
                        std::size_t end, ThreadId user) {
  const std::vector<Event>& events = trace.all();
  const std::optional<std::size_t> start = start_of(events, user);
  if (!start || *start > end) return;
  ExplainedStacks stacks(trace, symbols);
  stacks.look_at({*start});
  for (const std::size_t call : stacks.calls(*start)) {
    const std::string function = stacks.function(call);
    const std::uint64_t object = events[call].object;
    if (object == 0 || function.find("::") == std::string::npos) continue;
    if (!is_static(events, object, *start)) continue;
    bool ended = false;
    for (std::size_t i = *start; i < end && !ended; ++i) {
      ended = events[i].kind == EventKind::enter && events[i].object == object &&
              is_destructor(stacks.function(i));
    }
    Where where = stacks.stack(*start).front();
    if (ended || where.line == 0) continue;
    where.function = function;
    explanation.started = where;
    return;
  }
}

}  // namespace raddle
