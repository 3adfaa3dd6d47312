#include "host/describe/waited_names.hpp"

#include <optional>
#include <string>

#include "host/describe/explain/counting/counted_objects.hpp"
#include "host/describe/explain/events/storyteller.hpp"

namespace raddle {
namespace {

std::optional<CountedKind> kind_named(const std::string& library) {
  if (library == "std::barrier") return CountedKind::kBarrier;
  if (library == "std::latch") return CountedKind::kLatch;
  if (library == "std::counting_semaphore") return CountedKind::kSemaphore;
  return std::nullopt;
}

// Of a barrier, whose parts elsewhere have no name, its phase.
std::optional<std::size_t> last_look(const KeptTrace& trace, ThreadId thread, CountedKind kind) {
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = events.size(); i-- > 0;) {
    const Event& event = events[i];
    if (event.thread != thread || !is_atomic(event.kind) || event.kind == EventKind::fence)
      continue;
    const bool whole = kind != CountedKind::kBarrier || event.size == 1;
    if (whole && counted_kind(trace.site(event.site)) == kind) return i;
  }
  return std::nullopt;
}

std::string name_at(std::size_t event, const KeptTrace& trace, const Failure& failure,
                    Symbolizer& symbols) {
  Storyteller teller(trace, failure, symbols);
  teller.look_at({event});
  const std::string name = teller.object(event).name;
  const std::string own = name.substr(0, name.find("+0x"));
  // What the library calls it by itself tells nobody anything.
  return own.starts_with("std::") ? std::string() : own;
}

}  // namespace

void name_waited_for(Failure& failure, const KeptTrace& trace, Symbolizer& symbols) {
  for (ThreadLine& line : failure.threads) {
    ObjectRef& object = line.doing.object;
    const auto kind = line.blocked ? kind_named(object.library) : std::nullopt;
    const auto look = kind && object.name.empty() ? last_look(trace, line.id, *kind) : std::nullopt;
    if (!look) continue;
    const std::string name = name_at(*look, trace, failure, symbols);
    if (name.empty()) continue;
    object.name.kind = ObjectName::Kind::kVariable;
    object.name.path = name;
    if (!line.last_steps.empty() && line.last_steps.back().object.id == object.id)
      line.last_steps.back().object.name = object.name;
    if (!failure.verdict) continue;
    for (WaitingThread& waiting : failure.verdict->waiting)
      if (waiting.thread == line.id) waiting.doing.object.name = object.name;
  }
}

}  // namespace raddle
