// A count of owners is counted down by one operation, and another one decides who frees: between
// the two, others count and look as well.
#include <algorithm>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/lifetimes/lifetime.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kSmallObject = 4096;

struct Release {
  std::size_t counted = 0;
  std::size_t looked = 0;
};

// The thread's last, before `before`: it looked at the count after it had counted it down.
std::optional<Release> release_of(const std::vector<Event>& events, std::uint64_t block,
                                  ThreadId thread, std::size_t before) {
  std::optional<std::size_t> looked;
  for (std::size_t i = before + 1; i-- > 0;) {
    const Event& event = events[i];
    const bool inside = event.object >= block && event.object - block < kSmallObject;
    if (event.thread != thread || !inside || !is_atomic(event.kind)) continue;
    if (event.kind == EventKind::atomic_load && !looked) looked = i;
    if (event.kind != EventKind::atomic_update) continue;
    const auto read = value_read(event);
    const auto written = value_written(event);
    const bool down = read && written && *written + 1 == *read;
    if (!down || !looked || events[*looked].object != event.object) return std::nullopt;
    return Release{i, *looked};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Explanation> explain_split_release(const KeptTrace& trace, const Failure& failure,
                                                 const UseAfterFree& found, Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  const ThreadId user = events[found.used].thread;
  const ThreadId owner = events[found.freed].thread;
  const auto own = release_of(events, found.block, user, found.used);
  const auto other = release_of(events, found.block, owner, found.freed);
  if (user == owner || !own || !other) return std::nullopt;
  const bool same = events[own->counted].object == events[other->counted].object;
  const bool gone = value_read(events[other->looked]) == 0U;
  const bool again = events[found.used].kind == EventKind::free;
  // The user's next access is that look, or the second free that follows from it.
  if (!same || !gone || (!again && own->looked != found.used)) return std::nullopt;
  std::set<std::size_t> shown = {own->counted, own->looked, other->counted, other->looked,
                                 found.freed};
  Storyteller teller(trace, failure, symbols);
  if (again) shown.insert(found.used);
  teller.look_at(shown);
  Explanation explanation;
  explanation.cause = Cause::kSplitRelease;
  explanation.object = teller.object(own->counted);
  explanation.first = teller.access(own->counted);
  explanation.early = teller.access(other->counted);
  explanation.middle = teller.access(other->looked);
  explanation.change = teller.access(found.freed);
  explanation.last = teller.access(own->looked);
  if (again) explanation.late = teller.access(found.used);
  explanation.suggestion = Suggestion::kUseResult;
  if (explanation.object.name.empty() || explanation.first.where.line == 0 ||
      explanation.last.where.line == 0)
    return std::nullopt;
  for (const std::size_t event : shown) {
    const bool frees = events[event].kind == EventKind::free;
    ExplainedStep step = frees ? teller.step(event, StepAction::kFrees) : teller.step(event);
    if (frees) step.object = "the object";
    // What was freed holds anything.
    if (event > found.freed && !frees) step.read.reset();
    step.violates = event == found.used;
    teller.add_step(explanation, std::move(step));
  }
  return explanation;
}

}  // namespace raddle
