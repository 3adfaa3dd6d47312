#include "host/describe/explain/orders/differing_reads.hpp"

#include <map>
#include <set>

#include "host/describe/explain/events/occurrence.hpp"
#include "host/describe/explain/events/storyteller.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 8;
constexpr std::size_t kMostLinks = 3;

struct Differing {
  std::size_t read = 0;   // both of the failing execution
  std::size_t write = 0;  // by another thread
  std::size_t there = 0;  // the same read of the passing one
  bool too_late = false;  // that write comes after it there, or not at all
};

// The program's last write before it, if that is what was read and nobody else wrote in between.
std::optional<Access> source(const AccessHistory& history, const Access& read) {
  const std::vector<Event>& events = history.trace().all();
  const auto write = history.last_write(events[read.event].object, read.event);
  if (!write || value_written(events[write->event]) != value_read(events[read.event]))
    return std::nullopt;
  for (std::size_t i = write->event + 1; i < read.event; ++i) {
    const bool same = events[i].object == events[read.event].object;
    if (same && access_of(events[i], i).writes) return std::nullopt;
  }
  return write;
}

std::optional<Differing> differing(const AccessHistory& failing, const AccessHistory& passing,
                                   ThreadId thread, std::size_t before) {
  const std::vector<Event>& events = failing.trace().all();
  const std::vector<Event>& others = passing.trace().all();
  const std::size_t since = failing.creation(thread).value_or(0);
  for (const Access& read : failing.last_reads(thread, before, kMostReads)) {
    const auto there = find_occurrence(passing.trace(), occurrence(failing.trace(), read.event));
    if (!there || others[*there].object != events[read.event].object) continue;
    const auto here = values_of(events[read.event]).read;
    const auto value = values_of(others[*there]).read;
    if (!here || !value || *here == *value) continue;
    const auto write = source(failing, read);
    if (!write || write->thread == thread || write->event < since) continue;
    const auto same = find_occurrence(passing.trace(), occurrence(failing.trace(), write->event));
    return Differing{read.event, write->event, *there, !same || *same > *there};
  }
  return std::nullopt;
}

struct Tried {
  std::size_t before = 0;  // the last event of the thread before it tried, in the failing execution
  std::size_t holder = 0;  // the acquisition by which another thread has the lock then
  std::size_t acquired = 0;  // both of the passing one: the try, and the write after it
  std::size_t write = 0;
};

bool is_try(const Event& event) {
  const auto op = static_cast<OpKind>(event.value & 0xff);
  return event.kind == EventKind::decision &&
         (op == OpKind::mutex_trylock || op == OpKind::spin_trylock);
}

// The thread's n-th try of a lock, n from 1: the event of the decision.
std::optional<std::size_t> nth_try(const std::vector<Event>& events, ThreadId thread,
                                   std::size_t n) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].thread == thread && is_try(events[i]) && --n == 0) return i;
  }
  return std::nullopt;
}

// The acquisition that a try led to; nothing if it failed.
std::optional<std::size_t> gained(const std::vector<Event>& events, std::size_t tried) {
  for (std::size_t i = tried + 1; i < events.size(); ++i) {
    if (events[i].kind == EventKind::decision) break;
    const bool takes = events[i].kind == EventKind::acquire && (events[i].flags & kTry) != 0;
    if (takes && events[i].thread == events[tried].thread) return i;
  }
  return std::nullopt;
}

// Who has the lock before an event.
std::optional<std::size_t> holder(const std::vector<Event>& events, std::uint64_t lock,
                                  std::size_t before) {
  std::optional<std::size_t> has;
  for (std::size_t i = 0; i < before; ++i) {
    if (events[i].object != lock) continue;
    if (events[i].kind == EventKind::acquire && events[i].value == 1) has = i;
    if (events[i].kind == EventKind::release && events[i].value == 0) has.reset();
  }
  return has;
}

// What the failing thread read last and reads otherwise there was written by a thread that got a
// lock there which it only tried here.
std::optional<Tried> tried_in_vain(const AccessHistory& failing, const AccessHistory& passing,
                                   std::size_t there) {
  const std::vector<Event>& events = failing.trace().all();
  const std::vector<Event>& others = passing.trace().all();
  const auto write = passing.last_write(others[there].object, there);
  if (!write) return std::nullopt;
  std::optional<Tried> found;
  std::size_t tries = 0;
  for (std::size_t i = 0; i < write->event; ++i) {
    if (others[i].thread != write->thread) continue;
    if (others[i].kind == EventKind::release && found &&
        others[i].object == others[found->acquired].object) {
      found.reset();
    }
    if (!is_try(others[i])) continue;
    ++tries;
    const auto acquired = gained(others, i);
    const auto here = nth_try(events, write->thread, tries);
    if (!acquired || !here || gained(events, *here)) continue;
    const auto held = holder(events, others[*acquired].object, *here);
    if (!held || events[*held].thread == write->thread) continue;
    found = Tried{*here, *held, *acquired, write->event};
  }
  return found;
}

Explanation explain_try(const AccessHistory& failing, const AccessHistory& passing,
                        const Failure& failure, const Tried& tried, std::size_t read,
                        Symbolizer& symbols) {
  Storyteller here(failing.trace(), failure, symbols);
  Storyteller there(passing.trace(), Failure{}, symbols);
  here.look_at({tried.holder, read});
  there.look_at({tried.acquired, tried.write});
  Explanation explanation;
  explanation.cause = Cause::kTryFailed;
  explanation.object = here.object(read);
  explanation.lock = ExplainedLock{here.lock_name(failing.trace().all()[tried.holder].object), {}};
  explanation.first = here.access(tried.holder);
  explanation.middle = there.access(tried.acquired);  // the same place, where it was got
  explanation.last = here.access(read);
  explanation.change = there.access(tried.write);
  explanation.suggestion = Suggestion::kWaitForLock;
  here.add_steps(explanation, {tried.holder, read}, read);
  return explanation;
}

// A third thread's write before that, while the reader was there: what it had to do with is what
// the last writer found.
std::optional<Access> written_before(const AccessHistory& history, const Differing& found) {
  const std::vector<Event>& events = history.trace().all();
  const ThreadId reader = events[found.read].thread;
  const auto write = history.last_write(events[found.read].object, found.write);
  const bool third =
      write && write->thread != reader && write->thread != events[found.write].thread;
  return third && write->event > history.creation(reader).value_or(0) ? write : std::nullopt;
}

}  // namespace

std::optional<Explanation> explain_differing_read(const AccessHistory& failing,
                                                  const AccessHistory& passing,
                                                  const Failure& failure, Symbolizer& symbols) {
  const std::size_t end = failing.trace().all().size();
  std::optional<Differing> found = differing(failing, passing, failure.thread, end);
  if (!found) return std::nullopt;
  if (const auto tried = tried_in_vain(failing, passing, found->there)) {
    Explanation explanation = explain_try(failing, passing, failure, *tried, found->read, symbols);
    if (!explanation.object.name.empty() && explanation.middle.where.line != 0) return explanation;
  }
  std::optional<Differing> after;  // what followed from it
  for (std::size_t i = 0; i < kMostLinks; ++i) {
    const ThreadId writer = failing.trace().all()[found->write].thread;
    const auto deeper = differing(failing, passing, writer, found->write);
    if (!deeper) break;
    after = found;
    found = deeper;
  }
  if (!found->too_late) return std::nullopt;
  Storyteller here(failing.trace(), failure, symbols);
  Storyteller there(passing.trace(), Failure{}, symbols);
  std::set<std::size_t> shown = {found->write, found->read};
  if (after) shown.insert({after->write, after->read});
  const std::optional<Access> before = written_before(failing, *found);
  if (before) shown.insert(before->event);
  here.look_at(shown);
  there.look_at({found->there});
  Explanation explanation;
  explanation.cause = Cause::kReadTooLate;
  explanation.object = here.object(found->read);
  explanation.first = here.access(found->write);
  explanation.middle = there.access(found->there);
  explanation.last = here.access(found->read);
  if (after) {
    explanation.other = here.object(after->read);
    explanation.change = here.access(after->write);
    explanation.late = here.access(after->read);
    if (explanation.other.name.empty()) return std::nullopt;
  }
  if (before && here.where(before->event).line != 0)
    explanation.early = here.access(before->event);
  else if (before)
    shown.erase(before->event);
  const bool known = explanation.first.where.line != 0 && explanation.last.where.line != 0;
  if (explanation.object.name.empty() || !known) return std::nullopt;
  here.add_steps(explanation, shown, found->read);
  return explanation;
}

}  // namespace raddle
