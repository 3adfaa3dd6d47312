#include "host/describe/explain/too_early.hpp"

#include "host/describe/explain/accesses.hpp"
#include "host/describe/explain/storyteller.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 4;  // of the failing thread, that its failure may depend on

// An event by what is the same in both executions: its thread, its place, and how often the thread
// had been there.
struct Occurrence {
  ThreadId thread{};
  std::uint64_t site = 0;  // Site::stable
  std::size_t count = 0;
};

Occurrence occurrence(const KeptTrace& trace, std::size_t event) {
  const std::vector<Event>& events = trace.all();
  Occurrence found{events[event].thread, trace.site(events[event].site).stable, 0};
  for (std::size_t i = 0; i <= event; ++i) {
    if (events[i].thread == found.thread && trace.site(events[i].site).stable == found.site)
      ++found.count;
  }
  return found;
}

std::optional<std::size_t> find(const KeptTrace& trace, const Occurrence& wanted) {
  const std::vector<Event>& events = trace.all();
  std::size_t count = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].thread != wanted.thread || trace.site(events[i].site).stable != wanted.site)
      continue;
    if (++count == wanted.count) return i;
  }
  return std::nullopt;
}

// Of the passing execution: the write that the read saw there, and the failing one's did not.
struct Missed {
  std::size_t read = 0;   // of the failing execution
  std::size_t write = 0;  // of the passing one
};

std::optional<Missed> missed(const AccessHistory& failing, ThreadId thread,
                             const AccessHistory& passing) {
  const std::vector<Event>& events = failing.trace().all();
  const std::vector<Event>& others = passing.trace().all();
  for (const Access& read : failing.last_reads(thread, events.size(), kMostReads)) {
    const auto there = find(passing.trace(), occurrence(failing.trace(), read.event));
    if (!there || !access_of(others[*there], *there).reads) continue;
    const auto here = value_read(events[read.event]);
    const auto seen = value_read(others[*there]);
    if (!here || !seen || *here == *seen) continue;
    const auto write = passing.last_write(others[*there].object, *there);
    if (!write || write->thread == thread || value_written(others[write->event]) != seen) continue;
    const auto same = find(failing.trace(), occurrence(passing.trace(), write->event));
    if (same && *same < read.event) continue;  // it had come so far, and that is not the difference
    return Missed{read.event, write->event};
  }
  return std::nullopt;
}

}  // namespace

bool is_weak(const Explanation& explanation) {
  const auto updates = [](const ExplainedAccess& one) { return one.reads && one.writes; };
  // Two atomic updates: each of them acted on what it found.
  const bool fresh = explanation.cause == Cause::kCheckThenAct && updates(explanation.first) &&
                     updates(explanation.last);
  return fresh || explanation.cause == Cause::kNone || explanation.cause == Cause::kLastWriter;
}

std::optional<Explanation> explain_by_passing(const KeptTrace& failing, const Failure& failure,
                                              const KeptTrace& passing, Symbolizer& symbols) {
  const AccessHistory history(failing);
  const AccessHistory other(passing);
  const std::optional<Missed> found = missed(history, failure.thread, other);
  if (!found) return std::nullopt;
  Storyteller teller(failing, failure, symbols);
  const auto before = history.last_write(failing.all()[found->read].object, found->read);
  std::set<std::size_t> shown = {found->read};
  if (before) shown.insert(before->event);
  teller.look_at(shown);
  Storyteller there(passing, Failure{}, symbols);
  there.look_at({found->write});
  Explanation explanation;
  explanation.cause = Cause::kReadTooEarly;
  explanation.object = teller.object(found->read);
  explanation.first = teller.access(found->read);
  explanation.last = there.access(found->write);
  if (before) explanation.middle = teller.access(before->event);
  if (explanation.object.name.empty() || explanation.last.where.line == 0) return std::nullopt;
  explanation.suggestion = Suggestion::kAwaitWrite;
  teller.add_steps(explanation, shown, found->read);
  return explanation;
}

}  // namespace raddle
