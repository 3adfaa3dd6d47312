#include "host/describe/explain/orders/too_early.hpp"

#include <algorithm>
#include <set>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/explained_stack.hpp"
#include "host/describe/explain/events/folded_calls.hpp"
#include "host/describe/explain/events/given_on.hpp"
#include "host/describe/explain/events/occurrence.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/orders/differing_reads.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/symbols/names.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 12;  // of the failing thread, that its failure may depend on

// Of the passing execution: the write that the read saw there, and the failing one's did not.
struct Missed {
  std::size_t read = 0;   // of the failing execution
  std::size_t write = 0;  // of the passing one
};

// What lies there is not what lies there in the other execution: another thread allocated it.
bool is_of_another_block(const AccessHistory& failing, std::size_t read,
                         const AccessHistory& passing, std::size_t there) {
  const auto maker = [](const KeptTrace& trace, std::size_t event) {
    const auto block = allocation_of(trace.all(), trace.all()[event].object, event);
    return block ? std::optional(trace.all()[*block].thread) : std::nullopt;
  };
  return maker(failing.trace(), read) != maker(passing.trace(), there);
}

// Who made the block has written there what it writes at that line: what the passing execution read
// is of a later one.
bool is_written(const AccessHistory& failing, std::size_t read, const AccessHistory& passing,
                std::size_t write) {
  const std::vector<Event>& events = failing.trace().all();
  const auto made = allocation_of(events, events[read].object, read);
  const auto written = failing.last_write(events[read].object, read);
  if (!made || !written || written->event < *made ||
      events[*made].thread != passing.trace().all()[write].thread)
    return false;
  const auto place = [](const KeptTrace& trace, std::size_t event) {
    const std::vector<SiteFrame>& frames = trace.site(trace.all()[event].site).frames;
    return frames.empty() ? std::pair<std::string, std::uint32_t>()
                          : std::pair(frames.front().file, frames.front().line);
  };
  return place(failing.trace(), written->event) == place(passing.trace(), write);
}

// Who has ended will not write it, however long one waits.
bool has_ended(const std::vector<Event>& events, ThreadId thread, std::size_t before) {
  return std::any_of(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(before),
                     [&](const Event& event) {
                       return event.kind == EventKind::thread_end && event.thread == thread;
                     });
}

std::optional<Missed> missed(const AccessHistory& failing, ThreadId thread,
                             const AccessHistory& passing) {
  const std::vector<Event>& events = failing.trace().all();
  const std::vector<Event>& others = passing.trace().all();
  for (const Access& read : failing.last_reads(thread, events.size(), kMostReads)) {
    const auto there = find_occurrence(passing.trace(), occurrence(failing.trace(), read.event));
    if (!there || !access_of(others[*there], *there).reads) continue;
    const auto here = value_read(events[read.event]);
    const auto seen = value_read(others[*there]);
    if (!here || !seen || *here == *seen) continue;
    const auto write = passing.last_write(others[*there].object, *there);
    if (!write || write->thread == thread || value_written(others[write->event]) != seen) continue;
    const auto same = find_occurrence(failing.trace(), occurrence(passing.trace(), write->event));
    if (same && *same < read.event) continue;  // it had come so far, and that is not the difference
    if (has_ended(events, write->thread, read.event) ||
        is_of_another_block(failing, read.event, passing, *there) ||
        is_written(failing, read.event, passing, write->event))
      continue;
    return Missed{read.event, write->event};
  }
  return std::nullopt;
}

// Nobody else changed it but the one who has yet to, and nobody else what the reader read besides
// after it was woken: it is as it began, or as far as that one had come. Otherwise others may be
// the reason.
bool waits_for_one(const AccessHistory& failing, const Missed& found, ThreadId reader,
                   ThreadId writer) {
  const std::vector<Event>& events = failing.trace().all();
  const std::size_t since = failing.creation(reader).value_or(0);
  std::size_t waited = events.size();
  for (std::size_t i = 0; i < found.read; ++i) {
    if (events[i].thread == reader && events[i].kind == EventKind::wait) waited = i;
  }
  const std::vector<Access> reads = failing.last_reads(reader, events.size(), kMostReads);
  return std::all_of(reads.begin(), reads.end(), [&](const Access& read) {
    const bool itself = events[read.event].object == events[found.read].object;
    const auto& all = failing.at(events[read.event].object);
    return std::all_of(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
      const Access& one = entry.access;
      return !one.writes || one.event > read.event || one.event < (itself ? since : waited) ||
             one.thread == reader || one.thread == writer;
    });
  });
}

// The last wait of the reader, if it ended because its time was up: and what was read is not its
// own condition, which the wait itself may have looked at again.
std::optional<std::size_t> gave_up(const CauseSearch& failing, const Missed& found) {
  const std::vector<Event>& events = failing.events();
  const ThreadId reader = events[found.read].thread;
  for (const auto& [wait, wake] : given_up(events)) {
    if (events[wait].thread != reader || wake > found.read) continue;
    if (wakes_between(events, reader, wake, found.read)) continue;
    if (!is_look(failing, wait, found.read)) return wait;
  }
  return std::nullopt;
}

// Both are of one call of one function: it made both itself, or called another one for each.
bool of_one_call(const KeptTrace& trace, std::size_t one, std::size_t other, Symbolizer& symbols) {
  ExplainedStacks stacks(trace, symbols);
  stacks.look_at({one, other});
  const std::vector<std::size_t> a = stacks.calls(one);
  const std::vector<std::size_t> b = stacks.calls(other);
  const auto [end, end_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return a.end() - end <= 1 && b.end() - end_b == a.end() - end;
}

bool are_read_together(const KeptTrace& trace, std::size_t one, std::size_t other,
                       Symbolizer& symbols) {
  ExplainedStacks stacks(trace, symbols);
  stacks.look_at({one, other});
  return stacks.are_side_by_side(one, other);
}

// What the reader saw new, and the writer wrote in the call in which it writes what the reader saw
// old.
struct NewHalf {
  std::size_t read = 0;  // both of the failing execution
  std::size_t write = 0;
};

std::optional<NewHalf> new_half(const AccessHistory& failing, const AccessHistory& passing,
                                const Missed& found, Symbolizer& symbols) {
  const std::vector<Event>& events = failing.trace().all();
  const ThreadId reader = events[found.read].thread;
  const ThreadId writer = passing.trace().all()[found.write].thread;
  const std::size_t since = failing.creation(reader).value_or(0);
  for (const Access& read : failing.last_reads(reader, events.size(), kMostReads)) {
    if (events[read.event].object == events[found.read].object) continue;
    const auto write = failing.last_write(events[read.event].object, read.event);
    if (!write || write->thread != writer || write->event < since) continue;
    if (is_no_news(failing, write->event)) continue;
    if (!are_read_together(failing.trace(), read.event, found.read, symbols)) continue;
    // The first value of what the writer itself made is no news.
    const auto made = allocation_of(events, events[read.event].object, write->event);
    const auto before = failing.last_write(events[read.event].object, write->event);
    if (made && (!before || before->event < *made)) continue;
    const auto there = find_occurrence(passing.trace(), occurrence(failing.trace(), write->event));
    if (there && *there < found.write && of_one_call(passing.trace(), *there, found.write, symbols))
      return NewHalf{read.event, write->event};
  }
  return std::nullopt;
}

// Who sees a flag that was set goes on to what it stands for.
bool is_flag(const KeptTrace& failing, const NewHalf& half, const Missed& found) {
  const Event& set = failing.all()[half.write];
  return half.read < found.read && set.size == 1 && value_written(set) == 1U;
}

// Of what is written while both threads live: all of it comes from the place of that write.
bool is_only_write(const AccessHistory& passing, const Missed& found, ThreadId reader) {
  const std::vector<Event>& events = passing.trace().all();
  const std::size_t since = std::max(passing.creation(reader).value_or(0),
                                     passing.creation(events[found.write].thread).value_or(0));
  const std::vector<AccessHistory::Entry>& all = passing.at(events[found.write].object);
  return std::all_of(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
    const Event& event = events[entry.access.event];
    return !entry.access.writes || entry.access.event < since ||
           (event.site == events[found.write].site && event.thread == events[found.write].thread);
  });
}

// From both executions to what is said of them.
class Comparison {
 public:
  Comparison(const KeptTrace& failing, const Failure& failure, const KeptTrace& passing,
             const Missed& found, Symbolizer& symbols)
      : failing_(failing),
        passing_(passing),
        found_(found),
        here_(failing, failure, symbols),
        there_(passing, Failure{}, symbols) {
    there_.look_at({found.write});
  }

  Explanation torn(const NewHalf& half) {
    Explanation explanation = begun(Cause::kTornPair, {half.read, half.write});
    // It goes wrong with the second of the two reads.
    if (half.read > found_.read) {
      const ThreadId reader = failing_.all()[half.read].thread;
      for (ExplainedStep& step : explanation.steps) step.violates = false;
      const auto last =
          std::find_if(explanation.steps.rbegin(), explanation.steps.rend(),
                       [&](const ExplainedStep& step) { return step.thread == reader; });
      if (last != explanation.steps.rend()) last->violates = true;
    }
    explanation.other = explanation.object;
    explanation.object = here_.object(half.read);
    explanation.one_object =
        is_one_object(explanation, failing_.all()[half.read], failing_.all()[found_.read]);
    explanation.first = here_.access(half.read);
    explanation.middle = here_.access(half.write);
    explanation.last = here_.access(found_.read);
    explanation.change = there_.access(found_.write);
    explanation.suggestion = Suggestion::kGuardPair;
    const ExplainedStacks& stacks = here_.stacks();
    if (!explanation.one_object) {
      name_callers(explanation.first, stacks.stack(half.read), explanation.last,
                   stacks.stack(found_.read));
      name_callers(explanation.middle, stacks.stack(half.write), *explanation.change,
                   there_.stacks().stack(found_.write));
    }
    for (const std::uint64_t lock : stacks.held(half.read)) {
      const bool everywhere = stacks.taken(found_.read, lock) && stacks.taken(half.write, lock) &&
                              there_.stacks().taken(found_.write, lock);
      if (!everywhere) continue;
      explanation.lock = ExplainedLock{};
      explanation.lock->name = here_.lock_name(lock);
      explanation.lock->first = explanation.lock->middle = explanation.lock->last = true;
      explanation.reads_as_one = stacks.taken(half.read, lock) == stacks.taken(found_.read, lock);
      break;
    }
    return explanation;
  }

  Explanation published(const GivenOn& given) {
    Explanation explanation = begun(Cause::kUnsafePublication, {given.write, given.look});
    explanation.other = here_.object(given.write);
    explanation.first = here_.access(given.write);
    explanation.middle = here_.access(given.look);
    explanation.last = here_.access(found_.read);
    explanation.change = there_.access(found_.write);
    explanation.suggestion = Suggestion::kPublishLast;
    explanation.made_locked = !here_.stacks().held(given.write).empty();
    return explanation;
  }

  Explanation gave_up(std::size_t wait) {
    Explanation explanation = begun(Cause::kGaveUpWaiting, {wait});
    explanation.first = here_.access(wait);
    explanation.middle = here_.access(found_.read);
    explanation.last = there_.access(found_.write);
    explanation.suggestion = Suggestion::kHandleTimeOut;
    return explanation;
  }

  // `only`: nobody writes it but there. To wait for one write of many need not help.
  Explanation too_early(const std::optional<Access>& before, bool only) {
    Explanation explanation =
        begun(Cause::kReadTooEarly, before ? std::set{before->event} : std::set<std::size_t>{});
    explanation.first = here_.access(found_.read);
    if (before) explanation.middle = here_.access(before->event);
    explanation.last = there_.access(found_.write);
    if (only) explanation.suggestion = Suggestion::kAwaitWrite;
    if (is_of_constructor()) explanation.suggestion = Suggestion::kKnownWhenMade;
    return explanation;
  }

 private:
  // The write is that of a member by the constructor of its object: the reader knew the object
  // before it was made.
  bool is_of_constructor() const {
    const Site& site = passing_.site(passing_.all()[found_.write].site);
    for (const SiteFrame& frame : site.frames) {
      if (is_system_header(frame.file)) continue;
      const std::string cls = frame.function.substr(0, frame.function.rfind("::"));
      return is_constructor(frame.function) && !site.cls.empty() && cls == site.cls;
    }
    return false;
  }

  Explanation begun(Cause cause, std::set<std::size_t> shown) {
    shown.insert(found_.read);
    here_.look_at(shown);
    Explanation explanation;
    explanation.cause = cause;
    explanation.object = here_.object(found_.read);
    here_.add_steps(explanation, shown, found_.read);
    return explanation;
  }

  const KeptTrace& failing_;
  const KeptTrace& passing_;
  const Missed& found_;
  Storyteller here_;
  Storyteller there_;
};

}  // namespace

bool is_weak(const Explanation& explanation) {
  const auto updates = [](const ExplainedAccess& one) { return one.reads && one.writes; };
  // Two atomic updates: each of them acted on what it found.
  const bool fresh = explanation.cause == Cause::kCheckThenAct && updates(explanation.first) &&
                     updates(explanation.last);
  // A time-out that may have been dealt with long before.
  const bool timed_out = explanation.cause == Cause::kGaveUpWaiting && !explanation.last.writes;
  return fresh || timed_out || explanation.cause == Cause::kNone ||
         explanation.cause == Cause::kLastWriter || explanation.cause == Cause::kUnordered;
}

std::optional<Explanation> explain_by_passing(const KeptTrace& failing_trace,
                                              const Failure& failure,
                                              const KeptTrace& passing_trace, Symbolizer& symbols) {
  const KeptTrace failing = fold_library_calls(failing_trace, symbols);
  const KeptTrace passing = fold_library_calls(passing_trace, symbols);
  const AccessHistory history(failing);
  const AccessHistory other(passing);
  const std::optional<Missed> found = missed(history, failure.thread, other);
  if (!found ||
      !waits_for_one(history, *found, failure.thread, passing.all()[found->write].thread)) {
    return explain_differing_read(history, other, failure, symbols);
  }
  const ThreadId writer = passing.all()[found->write].thread;
  Comparison comparison(failing, failure, passing, *found, symbols);
  Explanation explanation;
  if (const auto given =
          given_on(history, failing.all()[found->read].object, found->read, writer)) {
    explanation = comparison.published(*given);
    if (explanation.other.name.empty()) return std::nullopt;
  } else if (const auto half = new_half(history, other, *found, symbols)) {
    explanation = is_flag(failing, *half, *found) ? comparison.published({half->write, half->read})
                                                  : comparison.torn(*half);
  } else if (const auto wait =
                 gave_up({failing, failure, history, symbols, failure.thread}, *found)) {
    explanation = comparison.gave_up(*wait);
  } else {
    explanation =
        comparison.too_early(history.last_write(failing.all()[found->read].object, found->read),
                             is_only_write(other, *found, failure.thread));
  }
  const Where& written = explanation.change ? explanation.change->where : explanation.last.where;
  if (explanation.object.name.empty() || written.line == 0) return std::nullopt;
  return explanation;
}

}  // namespace raddle
