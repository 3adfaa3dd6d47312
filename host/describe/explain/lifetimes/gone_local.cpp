// A memory fault at a local variable of a function that has returned, or whose scope has ended.
#include <algorithm>
#include <vector>

#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

struct GoneLocal {
  std::size_t local = 0;  // event: it begins
  std::size_t end = 0;    // event: its function returns
};

// The last variable of that thread that lay there, and whose function has returned.
std::optional<GoneLocal> last_there(const std::vector<Event>& events, std::uint64_t address,
                                    ThreadId owner) {
  std::vector<std::vector<std::size_t>> calls;
  std::optional<GoneLocal> last;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.thread != owner) continue;
    if (event.kind == EventKind::enter) calls.emplace_back();
    if (event.kind == EventKind::local && !calls.empty()) calls.back().push_back(i);
    if (event.kind != EventKind::exit || calls.empty()) continue;
    for (const std::size_t local : calls.back()) {
      const Event& one = events[local];
      if (one.object <= address && address - one.object < std::max<std::uint64_t>(one.value, 1))
        last = GoneLocal{local, i};
    }
    calls.pop_back();
  }
  return last;
}

std::optional<std::size_t> last_event(const std::vector<Event>& events, ThreadId thread) {
  for (std::size_t i = events.size(); i-- > 0;)
    if (events[i].thread == thread) return i;
  return std::nullopt;
}

}  // namespace

std::optional<Explanation> find_gone_local(const CauseSearch& search) {
  const Failure& failure = search.failure;
  if (!failure.gone_local || !failure.verdict || !failure.verdict->fault) return std::nullopt;
  const MemoryFaultLine& fault = *failure.verdict->fault;
  const auto gone = last_there(search.events(), *failure.gone_local, fault.freed_by);
  const auto last = last_event(search.events(), search.failing);
  if (!gone || !last || fault.freed_by == search.failing) return std::nullopt;
  Storyteller teller(search.trace, failure, search.symbols);
  teller.look_at({gone->local, gone->end, *last});
  Explanation explanation;
  explanation.cause = Cause::kUseAfterReturn;
  explanation.object = teller.object(gone->local);
  if (explanation.object.name.empty()) return std::nullopt;
  explanation.first = teller.access(gone->end);
  explanation.function = explanation.first.where.function;
  ExplainedStep end = teller.step(gone->end, StepAction::kReturns);
  end.object.clear();
  end.where.line = fault.freed.function == end.where.function ? fault.freed.line : 0;
  teller.add_step(explanation, std::move(end));
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
