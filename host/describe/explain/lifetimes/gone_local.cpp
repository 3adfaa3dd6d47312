// A memory fault at a local variable of a function that has returned, or whose scope has ended.
#include <algorithm>
#include <set>
#include <vector>

#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

struct GoneLocal {
  std::size_t local = 0;           // event: it begins
  std::optional<std::size_t> end;  // event: its function returns; nothing: that was inlined
};

// The last variable of that thread that lay there.
std::optional<GoneLocal> last_there(const std::vector<Event>& events, std::uint64_t address,
                                    ThreadId owner) {
  std::size_t depth = 0;
  std::size_t depth_of_last = 0;
  std::optional<GoneLocal> last;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.thread != owner) continue;
    if (event.kind == EventKind::enter) ++depth;
    if (event.kind == EventKind::local && event.object <= address &&
        address - event.object < std::max<std::uint64_t>(event.value, 1)) {
      last = GoneLocal{i, {}};
      depth_of_last = depth;
    }
    if (event.kind != EventKind::exit) continue;
    if (last && !last->end && depth == depth_of_last) last->end = i;
    depth -= depth > 0 ? 1 : 0;
  }
  return last;
}

std::optional<std::size_t> last_event(const std::vector<Event>& events, ThreadId thread) {
  for (std::size_t i = events.size(); i-- > 0;)
    if (events[i].thread == thread) return i;
  return std::nullopt;
}

// Only a scope in it has ended.
bool is_in(const Failure& failure, ThreadId thread, const std::string& function) {
  return std::any_of(failure.threads.begin(), failure.threads.end(), [&](const ThreadLine& line) {
    return line.id == thread &&
           std::any_of(line.stack.begin(), line.stack.end(),
                       [&](const Frame& frame) { return frame.where.function == function; });
  });
}

}  // namespace

std::optional<Explanation> find_gone_local(const CauseSearch& search) {
  const Failure& failure = search.failure;
  if (!failure.gone_local || !failure.verdict || !failure.verdict->fault) return std::nullopt;
  const MemoryFaultLine& fault = *failure.verdict->fault;
  const auto gone = last_there(search.events(), *failure.gone_local, fault.freed_by);
  const auto last = last_event(search.events(), search.failing);
  const bool known = gone && last && fault.freed_by != search.failing;
  if (!known || fault.freed.function.empty() ||
      is_in(failure, fault.freed_by, fault.freed.function))
    return std::nullopt;
  Storyteller teller(search.trace, failure, search.symbols);
  std::set<std::size_t> shown = {gone->local, *last};
  if (gone->end) shown.insert(*gone->end);
  teller.look_at(shown);
  Explanation explanation;
  explanation.cause = Cause::kUseAfterReturn;
  explanation.object = teller.object(gone->local);
  if (explanation.object.name.empty()) return std::nullopt;
  explanation.first.thread = fault.freed_by;
  explanation.first.where = fault.freed;
  explanation.function = fault.freed.function;
  if (gone->end) {
    ExplainedStep end = teller.step(*gone->end, StepAction::kReturns);
    end.object.clear();
    end.where = fault.freed;
    teller.add_step(explanation, std::move(end));
  }
  explanation.last.thread = search.failing;
  explanation.last.where = failure.where;
  explanation.last.function = unqualified(failure.where.function);
  explanation.last.reads = !fault.writes;
  explanation.last.writes = fault.writes;
  ExplainedStep use;
  use.thread = search.failing;
  use.step = search.events()[*last].step;
  use.where = failure.where;
  use.action = fault.writes ? StepAction::kWrites : StepAction::kReads;
  use.object = explanation.object.name;
  use.violates = true;
  teller.add_step(explanation, std::move(use));
  explanation.suggestion = Suggestion::kWaitForUser;
  return explanation;
}

}  // namespace raddle
