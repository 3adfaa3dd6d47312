// Threads wait at a barrier for ever: who arrived, and who did not.
#include <algorithm>
#include <map>
#include <set>

#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/storyteller.hpp"

namespace raddle {
namespace {

// What happened at one barrier.
struct Arrivals {
  std::map<std::uint16_t, std::uint64_t> routines;  // of all threads
  std::map<std::uint16_t, std::size_t> ended;
  std::set<std::uint16_t> arrived;
  std::set<std::size_t> events;
};

Arrivals arrivals_at(std::uint64_t barrier, const std::vector<Event>& events) {
  Arrivals all;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.kind == EventKind::thread_begin) all.routines[raw(event.thread)] = event.object;
    if (event.kind == EventKind::thread_end) all.ended[raw(event.thread)] = i;
    if (event.kind != EventKind::signal || event.object != barrier) continue;
    all.arrived.insert(raw(event.thread));
    all.events.insert(i);
  }
  return all;
}

void add_steps(Explanation& explanation, const std::set<std::size_t>& arrivals,
               const Storyteller& teller) {
  for (const std::size_t event : arrivals) {
    ExplainedStep step = teller.step(event, StepAction::kArrives);
    step.object.clear();
    teller.add_step(explanation, std::move(step));
  }
}

Explanation explanation_of(Cause cause, const WaitingThread& waiter) {
  Explanation explanation;
  explanation.cause = cause;
  explanation.object.ref = waiter.doing.object;
  explanation.last.thread = waiter.thread;
  explanation.last.where = waiter.where;
  return explanation;
}

// A thread ended at `end` and did not arrive, or not any more.
Explanation ended_before(const WaitingThread& waiter, std::size_t end,
                         const std::set<std::size_t>& arrivals, const std::vector<Event>& events,
                         Storyteller& teller) {
  std::size_t last = end;  // what the thread did last at a place of the program
  for (std::size_t i = end; i-- > 0 && last == end;) {
    if (events[i].thread == events[end].thread && access_of(events[i], i).reads) last = i;
  }
  std::set<std::size_t> shown = arrivals;
  shown.insert({end, last});
  teller.look_at(shown);
  Explanation explanation = explanation_of(Cause::kMissingArrival, waiter);
  explanation.first = teller.access(last);
  explanation.suggestion = Suggestion::kArrive;
  for (const std::size_t event : shown) {
    if (event != end && event != last) {
      add_steps(explanation, {event}, teller);
      continue;
    }
    ExplainedStep step = event == end ? teller.step(event, StepAction::kEnds) : teller.step(event);
    if (event == end) step.object.clear();
    step.violates = event == end;
    teller.add_step(explanation, std::move(step));
  }
  return explanation;
}

// Nobody is left who could arrive: all threads wait there, or for others to end.
bool nobody_else(const Failure& failure, ObjectId barrier) {
  const std::vector<WaitingThread>& waiting = failure.verdict->waiting;
  return std::all_of(waiting.begin(), waiting.end(), [&](const WaitingThread& one) {
    return one.doing.object.id == barrier || one.doing.op == OpKind::thread_join;
  });
}

// Of an earlier round, for which enough came: what they did in this one.
struct LaterRound {
  std::set<std::size_t> arrivals;    // of those who wait
  std::optional<std::size_t> ended;  // the first thread that came then, and ended instead
};

// Nothing if this is the first round: then the barrier may be made for too many.
std::optional<LaterRound> later_round(const WaitingThread& waiter, const Arrivals& all,
                                      const std::vector<Event>& events) {
  const auto waiting = static_cast<std::size_t>(*waiter.doing.value);
  const auto needed = static_cast<std::size_t>(waiter.doing.needed);
  if (all.events.size() < waiting + needed) return std::nullopt;
  LaterRound round;
  std::set<std::uint16_t> here;
  auto at = all.events.rbegin();
  for (; round.arrivals.size() < waiting; ++at) {
    round.arrivals.insert(*at);
    here.insert(raw(events[*at].thread));
  }
  for (std::size_t i = 0; i < needed; ++i, ++at) {
    const std::uint16_t thread = raw(events[*at].thread);
    const auto end = all.ended.find(thread);
    if (here.contains(thread) || end == all.ended.end()) continue;
    if (!round.ended || end->second < *round.ended) round.ended = end->second;
  }
  return round;
}

Explanation left_early(const WaitingThread& waiter, const LaterRound& round,
                       const std::vector<Event>& events, Storyteller& teller) {
  Explanation explanation = ended_before(waiter, *round.ended, round.arrivals, events, teller);
  explanation.later_round = true;
  return explanation;
}

Explanation too_few(const WaitingThread& waiter, const Arrivals& all, Storyteller& teller) {
  // The last ones, which wait: what came before belongs to rounds that are over.
  std::set<std::size_t> waiting;
  const auto arrived = static_cast<std::size_t>(*waiter.doing.value);
  for (auto at = all.events.rbegin(); at != all.events.rend() && waiting.size() < arrived; ++at)
    waiting.insert(*at);
  teller.look_at(waiting);
  Explanation explanation = explanation_of(Cause::kTooFewArrive, waiter);
  explanation.first = teller.access(*waiting.begin());
  explanation.waiters = arrived;
  explanation.needed = static_cast<std::size_t>(waiter.doing.needed);
  explanation.suggestion = Suggestion::kCountArrivals;
  add_steps(explanation, waiting, teller);
  if (!explanation.steps.empty()) explanation.steps.back().violates = true;
  return explanation;
}

}  // namespace

std::optional<Explanation> explain_barrier(const KeptTrace& trace, const Failure& failure,
                                           Symbolizer& symbols) {
  if (!failure.verdict) return std::nullopt;
  Storyteller teller(trace, failure, symbols);
  for (const WaitingThread& waiter : failure.verdict->waiting) {
    if (waiter.doing.object.cls != ObjectClass::barrier) continue;
    const ThreadLine* line = teller.line(waiter.thread);
    if (line == nullptr || line->address == 0) continue;
    Arrivals all = arrivals_at(line->address, trace.all());
    for (const auto& [thread, end] : all.ended) {
      const bool same = all.routines[thread] == all.routines[raw(waiter.thread)];
      if (same && !all.arrived.contains(thread))
        return ended_before(waiter, end, all.events, trace.all(), teller);
    }
    const bool counted = waiter.doing.value.value_or(0) > 0 &&
                         *waiter.doing.value < waiter.doing.needed && !all.events.empty();
    if (!counted || !nobody_else(failure, waiter.doing.object.id)) continue;
    const std::optional<LaterRound> later = later_round(waiter, all, trace.all());
    if (!later) return too_few(waiter, all, teller);
    if (later->ended) return left_early(waiter, *later, trace.all(), teller);
    Explanation explanation = too_few(waiter, all, teller);
    explanation.suggestion = Suggestion::kNone;
    return explanation;
  }
  return std::nullopt;
}

}  // namespace raddle
