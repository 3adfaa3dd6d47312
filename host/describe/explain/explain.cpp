#include <algorithm>
#include <set>

#include "host/describe/explain/counting/counted_causes.hpp"
#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/folded_calls.hpp"
#include "host/describe/explain/events/lock_calls.hpp"
#include "host/describe/explain/events/step_places.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/explainer.hpp"
#include "host/describe/explain/gates.hpp"
#include "host/describe/explain/interference.hpp"
#include "host/describe/explain/lifetimes/awaited_end.hpp"
#include "host/describe/explain/lifetimes/lifetime.hpp"
#include "host/describe/explain/misuse.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/describe/explanation.hpp"

namespace raddle {
namespace {

constexpr std::size_t kReadLast = 16;  // places that a failure is likely to depend on

bool is_of_memory(const Interference& found) {
  return found.kind != InterferenceKind::kUnordered &&
         found.kind != InterferenceKind::kLockReacquired && found.kind != InterferenceKind::kWaited;
}

class Causes {
 public:
  Causes(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols,
         const std::set<std::string>& usual)
      : history_(trace), search_{trace, failure, history_, symbols, failure.thread}, usual_(usual) {
    for (const Access& read : history_.last_reads(failure.thread, trace.all().size(), kReadLast)) {
      read_last_.insert(trace.all()[read.event].object);
    }
  }

  // The most certain first: an object that is gone, patterns that no correct program shows, what
  // disturbed the failing thread itself, what it read too early, and then facts.
  Explanation run() {
    if (auto gone = lifetime()) return *gone;
    for (auto* find :
         {find_joinable_destroyed, find_destroyed_lock, find_last_misuse, find_use_of_destroyed,
          find_gone_local, find_written_by_reader, find_aba, find_expired_between,
          find_missed_at_time_out, find_late_answer, find_unchecked_wait}) {
      if (auto found = find(search_)) return *found;
    }
    if (auto posted = find_posted_again(search_.trace, search_.failure, search_.symbols))
      return *posted;
    for (auto* find : {find_started_in_constructor, find_reused_early}) {
      if (auto found = find(search_)) return *found;
    }
    std::optional<Interference> found =
        find_interference(search_.trace, search_.failing, read_last_, usual_);
    if (found && updates_anyway(*found)) found.reset();
    const bool memory = found && is_of_memory(*found);
    const bool linked = memory && read_last_.contains(found->object);
    const bool own = memory && found->last.thread == search_.failing;
    if (auto misused = found ? broken_lock(*found) : std::nullopt) return *misused;
    if (const auto gate =
            memory ? find_broken_gate(search_.trace, *found, search_.symbols) : std::nullopt)
      return explained_gate(*gate, *found);
    const auto gate = find_broken_gate(search_.trace, search_.symbols);
    if (gate && (!memory || found->object == gate->object)) {
      Explanation explanation = explained(*gate);
      explanation.suggestion = Suggestion::kOneOperation;
      return explanation;
    }
    if (own && linked) return explained(*found);
    // What was looked at and what was written need not be one place.
    const bool acts = memory && (found->kind == InterferenceKind::kCheckThenAct ||
                                 found->kind == InterferenceKind::kIntermediate);
    if (!acts) {
      if (auto lapsed = find_lapsed_look(search_)) return *lapsed;
    }
    for (auto* find : {find_use_before_write, find_torn_pair}) {
      if (auto other = find(search_)) return *other;
    }
    if (memory) {
      Explanation explanation = explained(*found);
      // What did not touch the failing thread may have happened besides.
      if (!own && !linked && !feeds(found->last)) explanation.suggestion = Suggestion::kNone;
      return explanation;
    }
    // A thread that goes round and round does not do so because of one access.
    const bool unordered = found && found->kind == InterferenceKind::kUnordered &&
                           search_.failure.kind != OutcomeKind::kLivelock;
    if (unordered && read_last_.contains(found->object)) return explained(*found);
    const bool taken_again = found && found->kind == InterferenceKind::kLockReacquired;
    if (taken_again) {
      Explanation explanation = explained(*found);
      if (add_change(explanation, *found)) return explanation;
    }
    for (auto* find : {find_own_time_out, find_passed_time_out}) {
      if (auto timed_out = find(search_)) return *timed_out;
    }
    if (auto last = find_last_writer(search_)) {
      // Who wrote it had given up its lock before, and somebody else came in between: that says
      // more.
      const bool by_same = taken_again && last->first.thread == found->last.thread;
      return by_same ? explained(*found) : *last;
    }
    const bool says_nothing = !found || (found->kind == InterferenceKind::kUnordered && !unordered);
    return says_nothing ? Explanation{} : explained(*found);
  }

 private:
  std::optional<Explanation> lifetime() {
    if (auto raced = find_raced_shared_ptr(search_)) return raced;
    if (const auto freed = find_use_after_free(search_.trace, search_.failing)) {
      return explain_use_after_free(search_.trace, search_.failure, *freed, search_.symbols);
    }
    if (auto locked = freed_while_locked()) return locked;
    if (auto member = find_ended_member(search_)) return member;
    if (auto destroyed = find_use_after_destruction(search_)) return destroyed;
    if (auto destroyed = find_destroyed_in_use(search_)) return destroyed;
    return find_use_after_return(search_);
  }

  // The release of the lock is what faults: it is no event.
  std::optional<Explanation> freed_while_locked() {
    if (!search_.failure.verdict || !search_.failure.verdict->fault) return std::nullopt;
    for (const ThreadLine& line : search_.failure.threads) {
      if (line.id != search_.failing) continue;
      std::vector<Where> own;
      for (const Frame& frame : line.stack)
        if (frame.in_program) own.push_back(frame.where);
      return find_freed_while_locked(search_.trace, search_.failure, search_.failing, own,
                                     search_.symbols);
    }
    return std::nullopt;
  }

  // The lock that was to keep the others out, and did not: somebody misused it before.
  std::optional<Explanation> broken_lock(const Interference& found) {
    Storyteller teller(search_.trace, search_.failure, search_.symbols);
    const std::set<std::size_t> three = {found.first.event, found.middle.event, found.last.event};
    teller.look_at(three);
    for (const MisuseLine& misuse : search_.failure.misuses) {
      const bool before = misuse.step < search_.events()[found.last.event].step;
      const auto guards = [&](std::size_t event) {
        const std::vector<std::uint64_t> held = teller.stacks().held(event);
        return std::find(held.begin(), held.end(), misuse.address) != held.end();
      };
      const bool meant =
          found.object == misuse.address || std::any_of(three.begin(), three.end(), guards);
      if (misuse.address == 0 || misuse.more > 0 || !before || !meant) continue;
      Explanation explanation =
          explain_misuse(search_.trace, search_.failure, misuse, search_.symbols);
      if (!explanation.empty()) return explanation;
    }
    return std::nullopt;
  }

  // After it its thread wrote what the failing one read last.
  bool feeds(const Access& last) {
    const std::vector<Event>& events = search_.events();
    const auto reads = history_.last_reads(search_.failing, events.size(), kReadLast);
    return std::any_of(reads.begin(), reads.end(), [&](const Access& read) {
      const auto write = history_.last_write(events[read.event].object, read.event);
      return write && write->thread == last.thread && write->event > last.event;
    });
  }

  // An atomic update in another function than the read before it: it takes what it finds, and
  // nothing shows that it depends on the read.
  bool updates_anyway(const Interference& found) {
    const Event& last = search_.events()[found.last.event];
    if (found.kind != InterferenceKind::kCheckThenAct || last.kind != EventKind::atomic_update)
      return false;
    ExplainedStacks stacks(search_.trace, search_.symbols);
    stacks.look_at({found.first.event, found.last.event});
    return stacks.stack(found.first.event).front().function !=
           stacks.stack(found.last.event).front().function;
  }

  // What the other thread changed while it had the lock, and the disturbed one then met.
  // A variable says more than what it has on the heap.
  bool add_change(Explanation& explanation, const Interference& found) {
    const std::vector<Event>& events = search_.events();
    bool added = false;
    for (std::size_t i = found.last.event; i < events.size(); ++i) {
      if (events[i].thread != found.last.thread) continue;
      const bool released =
          events[i].kind == EventKind::release && events[i].object == found.object;
      if (released) break;
      if (!access_of(events[i], i).reads) continue;
      const auto write = history_.last_write(events[i].object, i);
      if (!write || write->thread != found.middle.thread) continue;
      if (write->event < found.first.event || write->event > found.last.event) continue;
      Storyteller teller(search_.trace, search_.failure, search_.symbols);
      teller.look_at({write->event});
      const ExplainedObject object = teller.object(write->event);
      if (object.name.empty() || !teller.stacks().taken(write->event, found.object)) continue;
      const bool variable = !object.name.starts_with("element of a");
      if (added && !variable) continue;
      explanation.other = object;
      explanation.change = teller.access(write->event);
      if (variable) return true;
      added = true;
    }
    return added;
  }

  Explanation explained(const Interference& found) {
    Explanation explanation =
        Explainer(search_.trace, search_.failure, found, search_.symbols).run();
    if (is_of_memory(found) && explanation.no_lock) add_gate(explanation, found);
    return explanation;
  }

  // `data`: what the gate was to guard.
  Explanation explained_gate(const Interference& gate, const Interference& data) {
    Explanation explanation = explained(gate);
    explanation.suggestion = Suggestion::kOneOperation;
    Storyteller teller(search_.trace, search_.failure, search_.symbols);
    teller.look_at({data.first.event, data.middle.event, data.last.event});
    explanation.other = teller.object(data.first.event);
    if (!explanation.other.name.empty()) {
      explanation.inside = {data.first.thread, data.middle.thread, teller.where(data.first.event),
                            teller.where(data.middle.event), teller.where(data.last.event)};
    }
    return explanation;
  }

  void add_gate(Explanation& explanation, const Interference& found) {
    const std::optional<PassedGate> gate = find_passed_gate(search_.trace, found);
    if (!gate) return;
    Storyteller teller(search_.trace, search_.failure, search_.symbols);
    std::set<std::size_t> events = {gate->taken, gate->other};
    if (gate->given_up) events.insert(*gate->given_up);
    teller.look_at(events);
    ExplainedGate told;
    told.name = teller.object(gate->taken).name;
    told.taken = teller.where(gate->taken);
    told.other = teller.where(gate->other);
    if (gate->given_up) told.given_up = teller.where(*gate->given_up);
    if (told.name.empty() || told.taken.line == 0 || told.other.line == 0) return;
    if (told.given_up && told.given_up->line == 0) return;
    explanation.no_lock = false;
    const bool guards = explanation.suggestion == Suggestion::kGuard ||
                        explanation.suggestion == Suggestion::kGuardOrAtomic;
    if (told.given_up && guards) {
      explanation.lock = ExplainedLock{.name = told.name, .first = true, .middle = true};
      explanation.suggestion = Suggestion::kHoldThroughout;
    }
    explanation.gate = std::move(told);
  }

  AccessHistory history_;
  CauseSearch search_;
  const std::set<std::string>& usual_;
  std::set<std::uint64_t> read_last_;
};

// A confirmed finding: nobody failed.
Explanation explain_passed(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols) {
  const AccessHistory history(trace);
  if (auto raced = find_raced_shared_ptr({trace, failure, history, symbols, kNoThread}))
    return *raced;
  if (const auto gone = find_use_after_free(trace, kNoThread)) {
    return explain_use_after_free(trace, failure, *gone, symbols);
  }
  const std::optional<Interference> found = find_interference(trace, kNoThread);
  return found ? Explainer(trace, failure, *found, symbols).run() : Explanation{};
}

}  // namespace

const char* cause_text(Cause cause) {
  switch (cause) {
#define RADDLE_CAUSE_TEXT(identifier, text) \
  case Cause::identifier:                   \
    return text;
    RADDLE_CAUSES(RADDLE_CAUSE_TEXT)
#undef RADDLE_CAUSE_TEXT
  }
  return "unknown";
}

Explanation explain(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols,
                    const std::set<std::string>& usual) {
  const KeptTrace folded = fold_library_calls(with_step_places(trace, failure), symbols);
  if (failure.kind == OutcomeKind::kDeadlock) {
    Explanation explanation = explain_deadlock(folded, failure, symbols);
    explanation.locks_as_in_c = locks_as_in_c(folded);
    return explanation;
  }
  if (failure.kind == OutcomeKind::kNone) return explain_passed(folded, failure, symbols);
  Explanation explanation = Causes(folded, failure, symbols, usual).run();
  explanation.locks_as_in_c = locks_as_in_c(folded);
  add_passed(explanation, trace, failure, symbols);
  return explanation;
}

std::set<std::string> usual_rereads(const KeptTrace& passing, Symbolizer& symbols) {
  return rereads_in(fold_library_calls(passing, symbols));
}

std::string name_in(const Failure& failure, ThreadId thread) {
  const auto known = std::find_if(failure.threads.begin(), failure.threads.end(),
                                  [&](const ThreadLine& line) { return line.id == thread; });
  return known == failure.threads.end() ? std::string() : known->name;
}

}  // namespace raddle
