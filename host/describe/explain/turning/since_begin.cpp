// A check that lies further back than the pattern of accesses shows: size(), then element after
// element, each of which is read again.
#include <algorithm>
#include <vector>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/explained_stack.hpp"
#include "host/describe/explain/events/folded_calls.hpp"
#include "host/describe/explain/events/step_events.hpp"
#include "host/describe/explain/explainer.hpp"
#include "host/describe/explain/interference.hpp"
#include "host/describe/explain/turning/turning_point.hpp"

namespace raddle {
namespace {

bool reads_again(const Explanation& explanation) {
  return (explanation.cause == Cause::kTwoReads || explanation.cause == Cause::kCheckThenAct) &&
         (explanation.pattern == InterferenceKind::kReadAgain ||
          explanation.pattern == InterferenceKind::kCheckThenAct);
}

// The accesses of a thread in a step.
std::vector<Access> accesses_in(const KeptTrace& trace, std::uint64_t step, ThreadId thread) {
  std::vector<Access> found;
  ProgramSites program(trace);
  for (const std::size_t event : events_of(trace, step)) {
    const Event& now = trace.all()[event];
    const Access access = access_of(now, event);
    if ((access.reads || access.writes) && now.thread == thread && program.contains(now.site))
      found.push_back(access);
  }
  return found;
}

// What the other thread wrote there between the two, so that the second found another value.
std::optional<Access> change_between(const KeptTrace& trace, const Access& first,
                                     const Access& last, ThreadId other) {
  const std::vector<Event>& events = trace.all();
  const auto before = value_read(events[first.event]);
  const auto after = value_read(events[last.event]);
  if (before && after && *before == *after) return std::nullopt;
  std::optional<Access> found;
  for (const Access& access :
       accesses_between(trace, events[first.event].object, first.event, last.event)) {
    if (access.writes && access.thread == other) found = access;
  }
  return found;
}

std::optional<Interference> since(const KeptTrace& trace, std::uint64_t begin, std::uint64_t end,
                                  const Explanation& explanation, ExplainedStacks& stacks) {
  const ThreadId thread = explanation.last.thread;
  for (const Access& first : accesses_in(trace, begin, thread)) {
    if (!first.reads) continue;
    for (const Access& last : accesses_in(trace, end, thread)) {
      const std::uint64_t object = trace.all()[first.event].object;
      if (trace.all()[last.event].object != object || last.event <= first.event) continue;
      const auto middle = change_between(trace, first, last, explanation.middle.thread);
      if (!middle) continue;
      const InterferenceKind kind =
          last.writes ? InterferenceKind::kCheckThenAct : InterferenceKind::kReadAgain;
      Interference found{kind, first, *middle, last, object, 0, 0};
      stacks.look_at({first.event, last.event});
      set_common_call(found, stacks.calls(first.event), stacks.calls(last.event));
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Explanation> explain_since_begin(const KeptTrace& trace, const Failure& failure,
                                               const TurningPoint& point,
                                               const Explanation& explanation,
                                               Symbolizer& symbols) {
  if (!point.begin || !reads_again(explanation)) return std::nullopt;
  const auto last = std::find_if(explanation.steps.begin(), explanation.steps.end(),
                                 [](const ExplainedStep& step) { return step.violates; });
  if (last == explanation.steps.end() || *point.begin >= last->step) return std::nullopt;
  const KeptTrace folded = fold_library_calls(trace, symbols);
  ExplainedStacks stacks(folded, symbols);
  const auto found = since(folded, *point.begin, last->step, explanation, stacks);
  if (!found) return std::nullopt;
  Explanation earlier = Explainer(folded, failure, *found, symbols).run();
  const bool same = earlier.first.where.line == explanation.first.where.line &&
                    earlier.first.where.file == explanation.first.where.file;
  if (same || earlier.object.name != explanation.object.name || earlier.first.where.line == 0)
    return std::nullopt;
  return earlier;
}

}  // namespace raddle
