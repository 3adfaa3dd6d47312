#include "host/describe/explain/turning/turning_point.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/folded_calls.hpp"
#include "host/describe/explain/events/step_events.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/turning/made_known.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

constexpr std::size_t kReadLast = 16;  // places that a failure is likely to depend on

constexpr std::size_t kEnoughConflicts = 64;  // of long critical sections
constexpr std::size_t kMostConflicts = 8;     // that are tried to be told

// What threads meet by, besides memory.
bool synchronises(const Event& event) {
  return event.kind == EventKind::acquire || event.kind == EventKind::wait ||
         event.kind == EventKind::notify || event.kind == EventKind::free ||
         event.kind == EventKind::destroy;
}

struct Conflict {
  std::size_t early = 0;  // event of the failing execution
  std::size_t late = 0;   // of the passing one
};

class TurningTeller {
 public:
  TurningTeller(const KeptTrace& failing, const KeptTrace& passing, const Failure& failure,
                const TurningPoint& point, Symbolizer& symbols)
      : failing_(failing),
        passing_(passing),
        failure_(failure),
        point_(point),
        history_(failing),
        program_here_(failing),
        program_there_(passing),
        here_(failing, failure, symbols),
        there_(passing, Failure{}, symbols) {}

  std::optional<TurningStory> run() {
    early_ = events_of(failing_, point_.early);
    late_ = events_of(passing_, point_.passing_late);
    if (auto story = overtaken()) return story;
    std::vector<Conflict> all = conflicts();
    std::stable_sort(all.begin(), all.end(),
                     [&](const Conflict& a, const Conflict& b) { return rank(a) > rank(b); });
    std::vector<Conflict> tried(all.begin(),
                                all.begin() + std::ptrdiff_t(std::min(all.size(), kMostConflicts)));
    // What two other threads met by need not say anything of what the failing one saw.
    const std::optional<Conflict> met = meeting();
    if (met && concerns_failing(*met)) tried.push_back(*met);
    TurningStory story;
    // The optimiser drops places: then another one of these tells it.
    const bool told = std::any_of(tried.begin(), tried.end(),
                                  [&](const Conflict& one) { return tell_of(one, story); });
    if (!told) return std::nullopt;
    add_abandoned(story.explanation);
    std::set<std::size_t> early;
    for (const Conflict& one : all) early.insert(one.early);
    here_.look_at(early);
    for (const std::size_t event : early) story.objects.insert(here_.object(event).name);
    return story;
  }

 private:
  // The step takes a lock, or gives back what its thread took: the event that took it.
  static std::optional<std::size_t> acquisition(const KeptTrace& trace, std::uint64_t step) {
    const auto takes = [](const Event& now) {
      return now.kind == EventKind::acquire && now.value == 1 &&
             (now.flags & (kShared | kByWait)) == 0;
    };
    for (const std::size_t event : events_of(trace, step)) {
      const Event& now = trace.all()[event];
      if (takes(now)) return event;
      if (now.kind != EventKind::release || now.value != 0) continue;
      for (std::size_t i = event; i-- > 0;) {
        const Event& before = trace.all()[i];
        if (before.thread == now.thread && before.object == now.object && takes(before)) return i;
      }
    }
    return std::nullopt;
  }

  // The last event of a thread in a part of the failing execution that makes a new value of an old
  // one; of any place if `object` is 0.
  std::optional<std::size_t> update(ThreadId thread, std::size_t from, std::size_t to,
                                    std::uint64_t object) {
    for (std::size_t i = to; i-- > from;) {
      const Event& event = failing_.all()[i];
      if (event.thread != thread || event.kind != EventKind::atomic_update) continue;
      if ((object == 0 || event.object == object) && program_here_.contains(event.site)) return i;
    }
    return std::nullopt;
  }

  // Both threads update a variable and then take a lock; one of them did both in between the
  // other's two steps.
  std::optional<TurningStory> overtaken() {
    if (!point_.begin || !point_.late) return std::nullopt;
    const auto early = acquisition(failing_, point_.early);
    const auto late_here = acquisition(failing_, *point_.late);
    const auto late = acquisition(passing_, point_.passing_late);
    if (!early || !late || !late_here || *late_here < *early) return std::nullopt;
    const std::uint64_t lock = failing_.all()[*early].object;
    if (failing_.all()[*late_here].object != lock || passing_.all()[*late].object != lock)
      return std::nullopt;
    const std::vector<std::size_t> step = events_of(failing_, *point_.begin);
    const ThreadId thread = failing_.all()[*late_here].thread;
    const auto first =
        step.empty() ? std::nullopt : update(thread, step.front(), step.back() + 1, 0);
    if (!first) return std::nullopt;
    const std::uint64_t object = failing_.all()[*first].object;
    const auto middle = update(failing_.all()[*early].thread, *first, *early, object);
    if (!middle || update(thread, *first + 1, *late_here, object)) return std::nullopt;
    const std::set<std::size_t> shown = {*first, *middle, *early, *late_here};
    here_.look_at(shown);
    there_.look_at({*late});
    if (here_.stacks().taken(*first, lock) || here_.stacks().taken(*middle, lock))
      return std::nullopt;
    TurningStory story;
    Explanation& explanation = story.explanation;
    explanation.cause = Cause::kOvertaken;
    explanation.object = here_.object(*first);
    explanation.lock = ExplainedLock{here_.lock_name(lock), {}};
    explanation.first = here_.access(*first);
    explanation.middle = here_.access(*middle);
    explanation.change = here_.access(*early);
    explanation.last = here_.access(*late_here);
    const bool known = std::all_of(shown.begin(), shown.end(),
                                   [&](std::size_t event) { return here_.where(event).line != 0; });
    if (!known || explanation.object.name.empty() || explanation.lock->name.empty())
      return std::nullopt;
    // Each in one call of a function, which can hold the lock all the time.
    if (goes_on(*first, *late) && stays_in_call(*middle, *early))
      explanation.suggestion = Suggestion::kUpdateLocked;
    here_.add_steps(explanation, shown, *late_here);
    story.objects.insert(explanation.object.name);
    return story;
  }

  bool stays_in_call(std::size_t first, std::size_t last) const {
    const std::vector<std::string> inner = function_names(here_.stacks().stack(first));
    const std::vector<std::string> outer = function_names(here_.stacks().stack(last));
    return !inner.empty() && std::find(outer.begin(), outer.end(), inner.front()) != outer.end();
  }

  std::vector<Conflict> conflicts() {
    std::vector<Conflict> found;
    for (const std::size_t one : early_) {
      const Access access = access_of(failing_.all()[one], one);
      if ((!access.reads && !access.writes) || !program_here_.contains(failing_.all()[one].site))
        continue;
      for (const std::size_t other : late_) {
        const Access second = access_of(passing_.all()[other], other);
        const bool same = passing_.all()[other].object == failing_.all()[one].object;
        if (!same || !(access.writes || second.writes) || !(second.reads || second.writes) ||
            !program_there_.contains(passing_.all()[other].site))
          continue;
        found.push_back({one, other});
        if (found.size() == kEnoughConflicts) return found;
      }
    }
    return found;
  }

  // By event: the lines that were executed of the function by which the library tells who waits
  // that a promise has come to nothing. It is called for each promise, and does so for some.
  static std::map<std::size_t, std::uint32_t> abandoning(const KeptTrace& trace) {
    std::map<std::size_t, std::uint32_t> lines;
    const std::vector<Event>& events = trace.all();
    for (std::size_t i = 0; i < events.size(); ++i) {
      for (const SiteFrame& frame : trace.site(events[i].site).frames) {
        if (frame.function.find("_M_break_promise") != std::string::npos) lines[i] = frame.line;
      }
    }
    return lines;
  }

  // A promise that came to nothing here, and none in the execution that passes.
  std::optional<std::size_t> abandoned() const {
    std::set<std::uint32_t> usual;
    for (const auto& [event, line] : abandoning(passing_)) usual.insert(line);
    for (const auto& [event, line] : abandoning(failing_))
      if (!usual.contains(line)) return event;
    return std::nullopt;
  }

  // Who destroys it need not wait for others: it must not be lost.
  void add_abandoned(Explanation& explanation) {
    const std::optional<std::size_t> here = abandoned();
    if (!here || !explanation.turn) return;
    here_.look_at({*here});
    ExplainedAccess access = here_.access(*here);
    if (access.where.line == 0) return;
    explanation.turn->abandoned = std::move(access);
    add_leaving(explanation, *here);
    if (explanation.suggestion == Suggestion::kComeAfter)
      explanation.suggestion = Suggestion::kNone;
  }

  // What the other thread read of it last before the promise was destroyed, and ended.
  void add_leaving(Explanation& explanation, std::size_t until) {
    const std::vector<Event>& events = failing_.all();
    const ThreadId other = explanation.turn->late.thread;
    std::optional<std::size_t> read;
    std::optional<std::size_t> end;
    for (std::size_t i = 0; i < until; ++i) {
      if (events[i].thread != other) continue;
      if (events[i].kind == EventKind::thread_end) end = i;
      const bool same = std::any_of(early_.begin(), early_.end(), [&](std::size_t early) {
        return early < i && events[early].object == events[i].object &&
               access_of(events[early], early).writes;
      });
      if (same && access_of(events[i], i).reads && program_here_.contains(events[i].site)) read = i;
    }
    if (!read || !end) return;
    here_.look_at({*read});
    const ExplainedObject object = here_.object(*read);
    ExplainedAccess access = here_.access(*read);
    if (access.where.line == 0 || object.name != explanation.object.name) return;
    explanation.late = std::move(access);
  }

  // What it read is another value when the two come the other way round.
  bool matters(const Conflict& one) const {
    const Event& early = failing_.all()[one.early];
    const Event& late = passing_.all()[one.late];
    const auto differs = [](const KeptTrace& trace, std::uint64_t step, const Event& event) {
      const auto value = value_read(event);
      for (const std::size_t other : events_of(trace, step)) {
        const Event& same = trace.all()[other];
        if (same.object == event.object && same.kind == event.kind && value_read(same))
          return value && value != value_read(same);
      }
      return false;
    };
    return differs(passing_, point_.passing_early, early) ||
           (point_.late && differs(failing_, *point_.late, late));
  }

  // What the thread of `late` had looked at before the other one changed it.
  bool is_looked_at(const Conflict& one) const {
    if (!point_.begin || !access_of(failing_.all()[one.early], 0).writes) return false;
    const std::vector<std::size_t> step = events_of(failing_, *point_.begin);
    return std::any_of(step.begin(), step.end(), [&](std::size_t event) {
      return event < one.early && access_of(failing_.all()[event], event).reads &&
             failing_.all()[event].object == failing_.all()[one.early].object;
    });
  }

  std::tuple<bool, bool, bool, bool, std::size_t> rank(const Conflict& one) const {
    const Event& early = failing_.all()[one.early];
    const auto reads = history_.last_reads(failure_.thread, failing_.all().size(), kReadLast);
    const bool read_last = std::any_of(reads.begin(), reads.end(), [&](const Access& read) {
      return failing_.all()[read.event].object == early.object;
    });
    // A look and a write say more than two writes.
    const bool looks = access_of(early, 0).reads || access_of(passing_.all()[one.late], 0).reads;
    return {is_looked_at(one), matters(one), read_last, looks, one.early};
  }

  // It is one of the two, or came when both had ended, so that no order but theirs matters.
  bool concerns_failing(const Conflict& one) const {
    const ThreadId early = failing_.all()[one.early].thread;
    const ThreadId late = passing_.all()[one.late].thread;
    return early == failure_.thread || late == failure_.thread ||
           (reads_after_end(failing_, failure_.thread, early) &&
            reads_after_end(failing_, failure_.thread, late));
  }

  // No memory that both use: a lock, a condition.
  std::optional<Conflict> meeting() const {
    for (const std::size_t one : early_) {
      for (const std::size_t other : late_) {
        if (synchronises(failing_.all()[one]) && synchronises(passing_.all()[other]) &&
            failing_.all()[one].object == passing_.all()[other].object)
          return Conflict{one, other};
      }
    }
    return std::nullopt;
  }

  // Of the step where the other thread should not have come in any more: what it wrote or read of
  // the same place, else of what is shared, else the lock that it took.
  // The other thread went before the whole step: what it has to come before is the first that it
  // meets there; of a section under a lock that it holds, too, any of it.
  std::optional<std::size_t> representative(const std::vector<std::size_t>& step,
                                            const Conflict& chosen) {
    const ThreadId other = failing_.all()[chosen.early].thread;
    const bool locked = is_section_for(step, chosen.early);
    for (const std::size_t event : step) {
      if (locked || event >= chosen.early) break;
      if (meets(event, other) && program_here_.contains(failing_.all()[event].site)) return event;
    }
    const auto rank = [&](std::size_t event) {
      const Event& now = failing_.all()[event];
      const Access access = access_of(now, event);
      const bool memory = access.reads || access.writes;
      if (memory && !program_here_.contains(now.site)) return 0;
      if (memory && now.object == failing_.all()[chosen.early].object) return 5;
      if (memory && history_.is_shared(now.object)) return access.writes ? 4 : 3;
      return synchronises(now) ? 2 : 0;
    };
    std::optional<std::size_t> best;
    for (const std::size_t event : step) {
      if (event >= chosen.early) break;  // a critical section may go on after it
      if (rank(event) > 0 && (!best || rank(event) > rank(*best))) best = event;
    }
    return best;
  }

  // The step takes a lock that its thread holds at the other event, too.
  bool is_section_for(const std::vector<std::size_t>& step, std::size_t other) {
    if (step.empty() || failing_.all()[step.front()].kind != EventKind::acquire) return false;
    here_.look_at({other});
    return here_.stacks().taken(other, failing_.all()[step.front()].object).has_value();
  }

  // The thread accesses the same place, and one of the two writes.
  bool meets(std::size_t event, ThreadId other) const {
    const Access own = access_of(failing_.all()[event], event);
    if (!own.reads && !own.writes) return false;
    const std::vector<AccessHistory::Entry>& all = history_.at(failing_.all()[event].object);
    return std::any_of(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
      return entry.access.thread == other && (own.writes || entry.access.writes);
    });
  }

  ExplainedStep told(const Storyteller& teller, std::size_t event) const {
    ExplainedStep step = teller.step(event);
    const std::string name = teller.object(event).name;
    if (!name.empty()) step.object = name;
    return step;
  }

  // What came too late, in the failing execution; nothing if that ended before it.
  std::optional<std::size_t> same_here(std::size_t late) const {
    if (!point_.late) return std::nullopt;
    const Event& wanted = passing_.all()[late];
    for (const std::size_t event : events_of(failing_, *point_.late)) {
      const Event& now = failing_.all()[event];
      if (now.kind == wanted.kind && now.object == wanted.object) return event;
    }
    return std::nullopt;
  }

  // As it is in the failing execution: another one's values are not its own.
  ExplainedStep told_late(std::size_t late, std::optional<std::size_t> late_here) const {
    if (late_here) return told(here_, *late_here);
    ExplainedStep step = told(there_, late);
    if (step.action == StepAction::kUpdates || step.action == StepAction::kExchanges)
      step.action = StepAction::kChanges;
    step.read = step.written = std::nullopt;
    return step;
  }

  bool tell_of(const Conflict& chosen, TurningStory& story) {
    const std::optional<std::size_t> begin =
        point_.begin ? representative(events_of(failing_, *point_.begin), chosen) : std::nullopt;
    const std::optional<std::size_t> late_here = same_here(chosen.late);
    std::set<std::size_t> shown = {chosen.early};
    if (begin) shown.insert(*begin);
    if (late_here) shown.insert(*late_here);
    here_.look_at(shown);
    there_.look_at({chosen.late});
    story.explanation = {};
    return tell(chosen, begin, late_here, story.explanation);
  }

  // It waits for ever, and the other thread only reads what it wrote: that is not why.
  bool leaves_waiter_alone(const Conflict& chosen) const {
    return failure_.kind == OutcomeKind::kDeadlock &&
           failing_.all()[chosen.early].thread == failure_.thread &&
           !access_of(passing_.all()[chosen.late], chosen.late).writes;
  }

  bool tell(const Conflict& chosen, std::optional<std::size_t> begin,
            std::optional<std::size_t> late_here, Explanation& explanation) {
    if (leaves_waiter_alone(chosen)) return false;
    ExplainedTurn turn;
    turn.early = told(here_, chosen.early);
    turn.late = told_late(chosen.late, late_here);
    turn.late_here = late_here.has_value();
    if (begin) turn.begin = told(here_, *begin);
    const bool known = turn.early.where.line != 0 && turn.late.where.line != 0 &&
                       !turn.early.object.empty() && !turn.late.object.empty();
    if (!known) return false;
    if (turn.begin && (turn.begin->where.line == 0 || turn.begin->object.empty()))
      turn.begin.reset();
    explanation.cause = turn.begin ? Cause::kCameBetween : Cause::kCameTooEarly;
    explanation.object = here_.object(chosen.early);
    if (explanation.object.name.empty()) explanation.object.name = turn.early.object;
    explanation.middle = here_.access(chosen.early);
    explanation.last = there_.access(chosen.late);
    explanation.first = turn.begin ? here_.access(*begin) : explanation.middle;
    if (turn.begin) {
      name_lock(chosen, *begin, explanation);
      if (!spans_a_wait(*begin) && goes_on(*begin, chosen.late)) {
        explanation.suggestion =
            explanation.upgraded ? Suggestion::kLookForWriting : Suggestion::kKeepOut;
      } else if (!spans_a_wait(*begin) && !explanation.upgraded && !explanation.lockers.empty() &&
                 only_looks(*begin, explanation)) {
        explanation.suggestion = Suggestion::kLockOnce;
      }
      // At one place twice: by two calls, each of which has to give the lock back.
      const bool twice = explanation.first.where == explanation.last.where;
      if (twice || gives_back(*begin, chosen.late) || is_locked_already(chosen, explanation))
        explanation.suggestion = Suggestion::kNone;
      name_read_lock(chosen, *begin, explanation);
      add_wait(*begin, chosen.early, chosen.late, late_here, explanation);
    } else {
      if (tell_of_what_was_known(chosen, begin, late_here, explanation)) return true;
      if (point_.helps_always && come_once(chosen)) explanation.suggestion = Suggestion::kComeAfter;
      if (late_here) add_over(chosen.early, *late_here, turn);
    }
    std::set<std::size_t> shown = {chosen.early};
    if (turn.begin) shown.insert(*begin);
    if (late_here) shown.insert(*late_here);
    if (turn.over) shown.insert(*over_);
    if (turn.begin) shown.merge(needed_between(*begin, shown));
    if (turn.begin && tell_of_publication(chosen, *begin, explanation)) return true;
    if (turn.begin && tell_of_what_was_known(chosen, begin, late_here, explanation)) return true;
    if (turn.begin && reads_flag_last(chosen, *begin, shown)) {
      explanation.other = here_.object(*begin);
      if (explanation.suggestion == Suggestion::kNone)
        explanation.suggestion = Suggestion::kReadFlagFirst;
    }
    here_.add_steps(explanation, shown, late_here.value_or(chosen.early));
    explanation.turn = std::move(turn);
    return true;
  }

  // Nobody is to wait at a place where threads come again and again, nor for one.
  bool come_once(const Conflict& chosen) const {
    const auto once = [](const KeptTrace& trace, std::size_t event) {
      const SiteId site = trace.all()[event].site;
      return std::count_if(trace.all().begin(), trace.all().end(),
                           [&](const Event& other) { return other.site == site; }) == 1;
    };
    return once(failing_, chosen.early) && once(passing_, chosen.late);
  }

  // What the thread of the late step wrote over the early one's write, and found there itself.
  void add_over(std::size_t early, std::size_t late, ExplainedTurn& turn) {
    const Event& read = failing_.all()[late];
    if (!access_of(failing_.all()[early], early).writes || !access_of(read, late).reads) return;
    const auto last = history_.last_write(read.object, late);
    if (!last || last->event <= early || last->thread != read.thread) return;
    here_.look_at({last->event});
    ExplainedAccess over = here_.access(last->event);
    if (over.where.line == 0) return;
    turn.over = std::move(over);
    over_ = last->event;
  }

  // The other thread came too early since something had been made known too early: at the first of
  // the two steps, if there are two.
  bool tell_of_what_was_known(const Conflict& chosen, std::optional<std::size_t> begin,
                              std::optional<std::size_t> late_here, Explanation& explanation) {
    const Access early = access_of(failing_.all()[chosen.early], chosen.early);
    const Access late = access_of(passing_.all()[chosen.late], chosen.late);
    MadeKnownSearch search(history_, program_here_);
    std::optional<MadeKnown> known;
    if (early.reads && late.writes)
      known = search.before(chosen.early, passing_.all()[chosen.late].thread, late_here);
    else if (early.writes && late.reads && late_here)
      known = search.after(chosen.early, *late_here);
    if (!known || (begin && known->write != *begin)) return false;
    std::set<std::size_t> shown = {known->write, known->look, known->read};
    if (known->ready) shown.insert(*known->ready);
    here_.look_at(shown);
    Explanation told;
    told.first = here_.access(known->write);
    told.middle = here_.access(known->look);
    told.last = here_.access(known->read);
    told.change = known->ready ? here_.access(*known->ready) : there_.access(chosen.late);
    told.object = here_.object(known->read);
    told.other = here_.object(known->write);
    const bool no_lock = std::all_of(shown.begin(), shown.end(), [&](std::size_t event) {
      return here_.stacks().held(event).empty();
    });
    const bool placed = told.first.where.line != 0 && told.last.where.line != 0 &&
                        told.middle.where.line != 0 && told.change->where.line != 0;
    if (!placed || told.object.name.empty() || told.other.name.empty() ||
        told.object.name == told.other.name)
      return false;
    if (search.leads_on(*known)) {
      told.cause = Cause::kUnsafePublication;
      told.suggestion = Suggestion::kPublishLast;
      told.made_locked = !here_.stacks().held(known->write).empty();
    } else if (no_lock) {
      told.cause = Cause::kTornPair;
      told.suggestion = Suggestion::kGuardPair;
      std::swap(told.first, told.middle);
      std::swap(told.object, told.other);
    } else {
      return false;
    }
    here_.add_steps(told, shown, known->read);
    explanation = std::move(told);
    return true;
  }

  // The first of the two steps let the other thread know, by an atomic variable, of what the last
  // one writes: it came too early.
  bool tell_of_publication(const Conflict& chosen, std::size_t begin, Explanation& explanation) {
    const std::vector<Event>& events = failing_.all();
    const Event& read = events[chosen.early];
    const Event& write = passing_.all()[chosen.late];
    const bool fits = is_atomic(events[begin].kind) && access_of(events[begin], begin).writes &&
                      read.kind == EventKind::read && write.kind == EventKind::write &&
                      !explanation.lock;
    if (!fits) return false;
    std::optional<std::size_t> look;
    for (std::size_t i = begin + 1; i < chosen.early; ++i) {
      if (events[i].object != events[begin].object) continue;
      const Access access = access_of(events[i], i);
      if (access.writes) return false;
      if (access.reads && events[i].thread == read.thread) look = i;
    }
    if (!look) return false;
    here_.look_at({begin, *look, chosen.early});
    explanation.cause = Cause::kUnsafePublication;
    explanation.other = here_.object(begin);
    explanation.first = here_.access(begin);
    explanation.middle = here_.access(*look);
    explanation.last = here_.access(chosen.early);
    explanation.change = there_.access(chosen.late);
    // Of one of another size the value is not that of the variable.
    const ExplainedObject written = there_.object(chosen.late);
    if (read.size != write.size) {
      explanation.last.read.reset();
      if (!written.name.empty()) explanation.object = written;
    }
    explanation.suggestion = Suggestion::kPublishLast;
    explanation.made_locked = !here_.stacks().held(begin).empty();
    explanation.lockers.clear();
    here_.add_steps(explanation, {begin, *look, chosen.early}, chosen.early);
    if (read.size != write.size) explanation.steps.back().read.reset();
    return true;
  }

  // The thread read a variable and then a flag; the other one wrote both in between, the flag last.
  // Who sees it set before it reads the rest knows that all of that is there.
  bool reads_flag_last(const Conflict& chosen, std::size_t begin,
                       const std::set<std::size_t>& shown) const {
    const std::vector<Event>& events = failing_.all();
    const Event& set = events[chosen.early];
    const Access look = access_of(passing_.all()[chosen.late], chosen.late);
    const Access first = access_of(events[begin], begin);
    const bool flag = set.size == 1 && value_written(set) == 1U && !access_of(set, 0).reads;
    const std::string name = here_.object(begin).name;
    if (!flag || !first.reads || first.writes || !look.reads || look.writes || name.empty() ||
        name == here_.object(chosen.early).name)
      return false;
    return std::any_of(shown.begin(), shown.end(), [&](std::size_t event) {
      return event > begin && event < chosen.early && events[event].thread == set.thread &&
             access_of(events[event], event).writes && here_.object(event).name == name;
    });
  }

  // What one has to know to follow these steps: who else wrote what they are about, and where the
  // thread that was disturbed waited.
  std::set<std::size_t> needed_between(std::size_t begin, const std::set<std::size_t>& steps) {
    constexpr std::size_t kMostSeen = 64;
    constexpr std::size_t kMostAdded = 4;
    const std::vector<Event>& events = failing_.all();
    std::set<std::size_t> seen;
    for (std::size_t i = begin; i < *steps.rbegin() && seen.size() < kMostSeen; ++i) {
      const bool own = events[i].thread == events[begin].thread;
      const bool waits = own && events[i].kind == EventKind::wait;
      const bool writes = access_of(events[i], i).writes && program_here_.contains(events[i].site);
      if ((waits || writes) && !steps.contains(i)) seen.insert(i);
    }
    here_.look_at(seen);
    std::set<std::string> about;
    for (const std::size_t step : steps) about.insert(here_.object(step).name);
    about.erase("");
    // Of one thread and variable the last: it leaves what the next one finds.
    std::map<std::pair<std::uint16_t, std::string>, std::size_t> last;
    for (const std::size_t event : seen) {
      const bool waits = events[event].kind == EventKind::wait;
      const std::string object = here_.object(event).name;
      if (here_.where(event).line == 0 || (!waits && !about.contains(object))) continue;
      last[{raw(events[event].thread), waits ? "wait" : object}] = event;
    }
    for (const std::size_t step : steps) {
      if (access_of(events[step], step).writes)
        last.erase({raw(events[step].thread), here_.object(step).name});
    }
    std::set<std::size_t> chosen;
    for (const auto& [key, event] : last) {
      if (chosen.size() < kMostAdded) chosen.insert(event);
    }
    return chosen;
  }

  // One that is held at all three, so that it was released in between.
  void name_lock(const Conflict& chosen, std::size_t begin, Explanation& explanation) {
    for (const std::uint64_t lock : here_.stacks().held(begin)) {
      if (!here_.stacks().taken(chosen.early, lock) || !there_.stacks().taken(chosen.late, lock))
        continue;
      if (here_.lock_name(lock).empty() || there_.stacks().shared(chosen.late, lock)) continue;
      explanation.upgraded = here_.stacks().shared(begin, lock);
      explanation.lock = ExplainedLock{};
      explanation.lock->name = here_.lock_name(lock);
      explanation.lock->first = explanation.lock->middle = explanation.lock->last = true;
      name_lockers(*here_.stacks().taken(begin, lock), *there_.stacks().taken(chosen.late, lock),
                   explanation);
      return;
    }
  }

  // The thread that came between writes with a lock that it has for reading only, and the other one
  // had that lock all the time: for writing it could not have come.
  void name_read_lock(const Conflict& chosen, std::size_t begin, Explanation& explanation) {
    const std::vector<Event>& events = failing_.all();
    if (!access_of(events[chosen.early], chosen.early).writes) return;
    for (const std::uint64_t lock : here_.stacks().held(begin)) {
      const auto taken = here_.stacks().taken(chosen.early, lock);
      if (!taken || !here_.stacks().shared(chosen.early, lock)) continue;
      const bool kept =
          std::none_of(events.begin() + std::ptrdiff_t(begin),
                       events.begin() + std::ptrdiff_t(chosen.early), [&](const Event& event) {
                         return event.thread == events[begin].thread && event.object == lock &&
                                event.kind == EventKind::release;
                       });
      if (!kept || here_.lock_name(lock).empty()) continue;
      here_.look_at({*taken});
      explanation.lock = ExplainedLock{here_.lock_name(lock), here_.where(*taken)};
      explanation.lock->first = explanation.lock->middle = explanation.lock->last = true;
      explanation.lock->middle_shared = true;
      explanation.upgraded = false;
      explanation.lockers.clear();
      explanation.suggestion = Suggestion::kWriteLock;
      return;
    }
  }

  // The functions that took it, if one function called both.
  void name_lockers(std::size_t first, std::size_t last, Explanation& explanation) {
    here_.look_at({first});
    there_.look_at({last});
    std::vector<std::string> one = function_names(here_.stacks().stack(first));
    std::vector<std::string> other = function_names(there_.stacks().stack(last));
    if (one.empty() || other.empty() || one.front() == other.front()) return;
    // One of the two is the function that calls the other: it can hold the lock all the time.
    const auto calls = [](const std::vector<std::string>& stack, const std::string& name) {
      return std::find(stack.begin() + 1, stack.end(), name) != stack.end();
    };
    if (calls(one, other.front())) explanation.lockers = {unqualified(one.front())};
    if (calls(other, one.front())) explanation.lockers = {unqualified(other.front())};
    if (!explanation.lockers.empty()) return;
    const bool called_by_one =
        std::any_of(one.begin() + 1, one.end(), [&](const std::string& name) {
          return std::find(other.begin() + 1, other.end(), name) != other.end();
        });
    if (called_by_one) explanation.lockers = {unqualified(one.front()), unqualified(other.front())};
  }

  // The function that made the first step has not returned: it could hold a lock until the last.
  bool goes_on(std::size_t begin, std::size_t late) const {
    const auto functions = [](const std::vector<Where>& stack) { return function_names(stack); };
    const std::vector<std::string> first = functions(here_.stacks().stack(begin));
    const std::vector<std::string> last = functions(there_.stacks().stack(late));
    return !first.empty() && std::find(last.begin(), last.end(), first.front()) != last.end();
  }

  // The thread changed nothing that others see while it had the lock at the first step: what it
  // saw is for the second one. Otherwise that was an operation of its own, such as taking what is
  // given back later, and the two may well be meant to be apart.
  bool only_looks(std::size_t begin, const Explanation& explanation) {
    const std::vector<Event>& events = failing_.all();
    for (const std::uint64_t lock : here_.stacks().held(begin)) {
      if (here_.lock_name(lock) != explanation.lock->name) continue;
      for (std::size_t i = *here_.stacks().taken(begin, lock); i < events.size(); ++i) {
        const bool own = events[i].thread == events[begin].thread;
        if (own && events[i].kind == EventKind::release && events[i].object == lock) break;
        if (own && access_of(events[i], i).writes && history_.is_shared(events[i].object))
          return false;
      }
    }
    return true;
  }

  // The thread sets what it found, and sets it back with the last step: what is between uses what
  // it took, and is long on purpose.
  bool gives_back(std::size_t begin, std::size_t late) const {
    const Event& found = failing_.all()[begin];
    const Event& last = passing_.all()[late];
    const auto value = value_read(found);
    if (last.object != found.object || !value || value_written(last) != value) return false;
    const std::vector<AccessHistory::Entry>& all = history_.at(found.object);
    return std::any_of(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
      return entry.access.event > begin && entry.access.thread == found.thread &&
             entry.access.writes && value_written(failing_.all()[entry.access.event]) != value;
    });
  }

  // Both hold a lock at these two steps, and yet another one, or none, at the first: that they
  // should hold one says nothing.
  bool is_locked_already(const Conflict& chosen, const Explanation& explanation) const {
    if (explanation.lock) return false;
    const std::vector<std::uint64_t> held = here_.stacks().held(chosen.early);
    return std::any_of(held.begin(), held.end(), [&](std::uint64_t lock) {
      return there_.stacks().taken(chosen.late, lock).has_value();
    });
  }

  // The lock was given back by a wait, after which the thread went on from another line.
  void add_wait(std::size_t begin, std::size_t early, std::size_t late,
                std::optional<std::size_t> late_here, Explanation& explanation) {
    const std::vector<Event>& events = failing_.all();
    const std::size_t end = explanation.lock ? late_here.value_or(early) : 0;
    for (std::size_t i = begin; i < end; ++i) {
      const bool own = events[i].thread == events[begin].thread;
      if (!own || events[i].kind != EventKind::wait) continue;
      here_.look_at({i});
      if (here_.lock_name(events[i].value) != explanation.lock->name) continue;
      explanation.waited = here_.where(i);
      const bool looks = events[begin].object == passing_.all()[late].object &&
                         access_of(passing_.all()[late], late).reads;
      const bool elsewhere = explanation.first.where.line != explanation.last.where.line;
      if (looks && elsewhere && explanation.waited->line != 0)
        explanation.suggestion = Suggestion::kLookAgain;
      return;
    }
  }

  // Nobody can keep others out while it waits for them.
  bool spans_a_wait(std::size_t begin) const {
    const std::vector<Event>& events = passing_.all();
    const ThreadId thread = failing_.all()[begin].thread;
    const std::uint64_t from = failing_.all()[begin].step;
    return std::any_of(events.begin(), events.end(), [&](const Event& event) {
      return event.thread == thread && event.step >= from && event.step <= point_.passing_late &&
             (event.kind == EventKind::wait || event.kind == EventKind::join ||
              event.kind == EventKind::fork || event.kind == EventKind::await);
    });
  }

  const KeptTrace& failing_;
  const KeptTrace& passing_;
  const Failure& failure_;
  const TurningPoint& point_;
  AccessHistory history_;
  ProgramSites program_here_;
  ProgramSites program_there_;
  Storyteller here_;
  Storyteller there_;
  std::vector<std::size_t> early_;   // events of the failing execution
  std::vector<std::size_t> late_;    // of the passing one
  std::optional<std::size_t> over_;  // the event of ExplainedTurn::over
};

}  // namespace

std::optional<TurningStory> explain_turning_point(const KeptTrace& trace, const Failure& failure,
                                                  const TurningPoint& point, Symbolizer& symbols) {
  const KeptTrace failing = fold_library_calls(trace, symbols);
  const KeptTrace passing = fold_library_calls(point.passing, symbols);
  return TurningTeller(failing, passing, failure, point, symbols).run();
}

}  // namespace raddle
