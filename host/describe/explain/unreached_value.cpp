// A thread waits for a variable to change (std::latch, std::atomic::wait, a futex), and nobody is
// left who could change it: facts.
#include <algorithm>
#include <map>
#include <set>

#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/storyteller.hpp"

namespace raddle {
namespace {

bool is_change(const Event& event) {
  return event.kind == EventKind::atomic_update || event.kind == EventKind::atomic_store ||
         (event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0);
}

// Every other thread that runs the same function changed it, and one ended without: what that one
// did last in the program. Nothing if there is none, or more than one.
std::optional<std::size_t> ended_without(const KeptTrace& trace, const ThreadLine& waiter) {
  const std::vector<Event>& events = trace.all();
  std::map<std::uint16_t, std::uint64_t> routines;
  std::map<std::uint16_t, std::size_t> last;  // by thread
  std::set<std::uint16_t> changed;
  std::set<std::uint16_t> ended;
  ProgramSites program(trace);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::uint16_t thread = raw(events[i].thread);
    if (events[i].kind == EventKind::thread_begin) routines[thread] = events[i].object;
    if (events[i].kind == EventKind::thread_end) ended.insert(thread);
    const Access access = access_of(events[i], i);
    if ((access.reads || access.writes) && program.contains(events[i].site)) last[thread] = i;
    if (is_change(events[i]) && events[i].object == waiter.address) changed.insert(thread);
  }
  std::optional<std::size_t> found;
  std::set<std::uint64_t> routine_of_changes;
  for (const std::uint16_t thread : changed)
    if (routines.contains(thread)) routine_of_changes.insert(routines[thread]);
  for (const auto& [thread, routine] : routines) {
    if (changed.contains(thread) || !routine_of_changes.contains(routine)) continue;
    if (found || !ended.contains(thread) || !last.contains(thread)) return std::nullopt;
    found = last[thread];
  }
  return found;
}

}  // namespace

std::optional<Explanation> explain_unreached_value(const KeptTrace& trace, const Failure& failure,
                                                   Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  for (const ThreadLine& line : failure.threads) {
    if (!line.blocked || line.doing.object.cls != ObjectClass::futex || line.address == 0) continue;
    std::optional<std::size_t> last;
    std::size_t changes = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (!is_change(events[i]) || events[i].object != line.address || events[i].thread == line.id)
        continue;
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
    // What the library waits by inside of its own primitives tells nobody anything.
    if (explanation.object.name.empty() || explanation.object.name.starts_with("std::") ||
        explanation.first.where.line == 0)
      continue;
    std::set<std::size_t> shown = {*last};
    if (const auto ended = ended_without(trace, line)) {
      shown.insert(*ended);
      teller.look_at(shown);
      explanation.early = teller.access(*ended);
      if (explanation.early->where.line == 0) explanation.early.reset();
    }
    teller.add_steps(explanation, {*last}, *last);
    explanation.steps.back().violates = false;
    return explanation;
  }
  return std::nullopt;
}

}  // namespace raddle
