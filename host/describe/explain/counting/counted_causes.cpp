#include "host/describe/explain/counting/counted_causes.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>

#include "host/describe/explain/counting/counted_by_hand.hpp"
#include "host/describe/explain/counting/counted_objects.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/folded_calls.hpp"
#include "host/describe/explain/events/storyteller.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostShown = 6;  // of those who post

struct Pass {
  const CountedObject* object = nullptr;
  std::size_t event = 0;
};

constexpr std::uint64_t kAtTheEnd = ~std::uint64_t{0};

// What the thread went past last, up to a step.
std::optional<Pass> last_pass(const CountedObjects& objects, const std::vector<Event>& events,
                              ThreadId thread, std::uint64_t until = kAtTheEnd) {
  std::optional<Pass> last;
  for (const CountedObject& one : objects.all()) {
    for (const std::size_t pass : one.passes) {
      if (events[pass].thread != thread || events[pass].step > until) continue;
      if (!last || pass > last->event) last = Pass{&one, pass};
    }
  }
  return last;
}

// Of a semaphore: who has taken it and not posted it, each with where it took it last.
std::map<std::uint16_t, std::size_t> inside(const CountedObject& semaphore,
                                            const std::vector<Event>& events) {
  std::map<std::uint16_t, std::vector<std::size_t>> taken;
  std::set<std::size_t> all(semaphore.posts.begin(), semaphore.posts.end());
  all.insert(semaphore.passes.begin(), semaphore.passes.end());
  const std::set<std::size_t> takes(semaphore.passes.begin(), semaphore.passes.end());
  for (const std::size_t event : all) {
    std::vector<std::size_t>& own = taken[raw(events[event].thread)];
    if (takes.contains(event)) {
      own.push_back(event);
    } else if (!own.empty()) {
      own.pop_back();
    }
  }
  std::map<std::uint16_t, std::size_t> has;
  for (const auto& [thread, own] : taken)
    if (!own.empty()) has[thread] = own.back();
  return has;
}

struct PostedAgain {
  std::size_t before = 0;
  std::size_t again = 0;
};

// One thread took and posted it, and posted it once more; nobody else posts what it has not taken.
std::optional<PostedAgain> posted_again(const CountedObject& semaphore,
                                        const std::vector<Event>& events) {
  std::map<std::uint16_t, std::int64_t> has;
  std::map<std::uint16_t, std::size_t> posted;
  std::optional<PostedAgain> found;
  std::set<std::size_t> all(semaphore.posts.begin(), semaphore.posts.end());
  all.insert(semaphore.passes.begin(), semaphore.passes.end());
  const std::set<std::size_t> takes(semaphore.passes.begin(), semaphore.passes.end());
  for (const std::size_t event : all) {
    const std::uint16_t thread = raw(events[event].thread);
    if (takes.contains(event)) {
      ++has[thread];
      continue;
    }
    const auto before = posted.find(thread);
    if (has[thread] > 0) {
      --has[thread];
      posted[thread] = event;
    } else if (before == posted.end() || found) {
      return std::nullopt;  // who posts what it never took hands over
    } else {
      found = PostedAgain{before->second, event};
    }
  }
  return found;
}

// Threads that run at a time may be more than the barrier is made for; of a latch there is no
// second round.
bool is_too_small(const CountedObject& one, const std::vector<Event>& events) {
  if (!one.start || one.kind == CountedKind::kSemaphore) return false;
  if (one.kind == CountedKind::kLatch) return one.value && *one.value < 0;
  return std::int64_t(most_at_once(one, events)) > *one.start;
}

// The first arrival of each thread; of a latch, all of them.
std::set<std::size_t> arrivals(const CountedObject& one, const std::vector<Event>& events) {
  std::set<std::size_t> first;
  std::set<std::uint16_t> threads;
  for (const std::size_t event : one.posts) {
    const bool is_new = threads.insert(raw(events[event].thread)).second;
    if (is_new || one.kind == CountedKind::kLatch) first.insert(event);
  }
  return first;
}

const ThreadLine* line_of(const Failure& failure, ThreadId thread) {
  const auto found = std::find_if(failure.threads.begin(), failure.threads.end(),
                                  [&](const ThreadLine& line) { return line.id == thread; });
  return found == failure.threads.end() ? nullptr : &*found;
}

std::optional<Where> own_place(const Failure& failure, ThreadId thread) {
  const ThreadLine* line = line_of(failure, thread);
  if (line == nullptr) return std::nullopt;
  for (const Frame& frame : line->stack)
    if (frame.in_program) return frame.where;
  return std::nullopt;
}

// The thread waits for it, or is about to go past it.
const CountedObject* awaited(const CountedObjects& objects, const std::vector<Event>& events,
                             const Failure& failure, ThreadId thread) {
  const ThreadLine* line = line_of(failure, thread);
  for (const CountedObject& one : objects.all()) {
    if (line != nullptr && line->blocked && line->address == one.address) return &one;
    const auto own = [&](std::size_t event) { return events[event].thread == thread; };
    const auto arrived = std::find_if(one.posts.rbegin(), one.posts.rend(), own);
    const auto left = std::find_if(one.passes.rbegin(), one.passes.rend(), own);
    const bool here =
        arrived != one.posts.rend() && (left == one.passes.rend() || *left < *arrived);
    if (one.kind == CountedKind::kBarrier && here && failure.kind == OutcomeKind::kLivelock)
      return &one;
  }
  return nullptr;
}

// The phase of a std::barrier lies inside of it: the object's own name says more.
std::string name_of(const CountedObject& object, const ExplainedObject& told) {
  const std::size_t offset = told.name.find("+0x");
  return object.kind == CountedKind::kBarrier ? told.name.substr(0, offset) : told.name;
}

class TooSmall {
 public:
  TooSmall(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols)
      : trace_(trace), failure_(failure), symbols_(symbols) {}

  // `there` is the same object in the execution that shows more.
  std::optional<Explanation> run(const CountedObject& one, ThreadId thread,
                                 std::optional<std::size_t> pass, const KeptTrace& more,
                                 const CountedObject& there) {
    const std::set<std::size_t> all = arrivals(there, more.all());
    Storyteller teller(more, failure_, symbols_);
    std::set<std::size_t> told = all;
    if (there.made) told.insert(*there.made);
    teller.look_at(told);
    Explanation explanation;
    explanation.cause = Cause::kMadeForTooFew;
    explanation.counted = one.kind;
    explanation.object = teller.object(*all.begin());
    explanation.object.field.clear();
    explanation.object.name = name_of(one, explanation.object);
    explanation.needed = static_cast<std::size_t>(*one.start);
    explanation.suggestion = Suggestion::kCountArrivals;
    for (const std::size_t event : all) explanation.arrivals.push_back(teller.access(event));
    explanation.first = there.made ? teller.access(*there.made) : explanation.arrivals.front();
    if (explanation.first.where.line == 0) explanation.first = explanation.arrivals.front();
    explanation.start = one.start;
    explanation.taken = explanation.arrivals.size();
    if (there.kind == CountedKind::kLatch && there.value)
      explanation.taken = static_cast<std::size_t>(*there.start - *there.value);
    if (explanation.object.name.empty() || explanation.first.where.line == 0) return std::nullopt;
    return add_end(std::move(explanation), one, thread, pass);
  }

 private:
  std::optional<Explanation> add_end(Explanation explanation, const CountedObject& one,
                                     ThreadId thread, std::optional<std::size_t> pass) {
    std::set<std::size_t> shown = arrivals(one, trace_.all());
    if (pass) {
      std::erase_if(shown, [&](std::size_t event) { return event > *pass; });
      shown.insert(*pass);
    }
    Storyteller teller(trace_, failure_, symbols_);
    teller.look_at(shown);
    explanation.posts = shown.size() - (pass ? 1 : 0);
    for (const std::size_t event : shown) {
      const bool passes = pass && event == *pass;
      ExplainedStep step = passes ? teller.step(event, StepAction::kPasses)
                           : one.kind == CountedKind::kLatch
                               ? teller.step(event)
                               : teller.step(event, StepAction::kArrives);
      if (passes || one.kind == CountedKind::kBarrier) step.object.clear();
      step.violates = passes;
      teller.add_step(explanation, std::move(step));
    }
    explanation.last.thread = thread;
    const std::optional<Where> where = own_place(failure_, thread);
    if (pass) {
      explanation.last = teller.access(*pass);
    } else if (where) {
      explanation.last.where = *where;
      explanation.value = one.value;
    }
    if (explanation.last.where.line == 0) return std::nullopt;
    return explanation;
  }

  const KeptTrace& trace_;
  const Failure& failure_;
  Symbolizer& symbols_;
};

bool is_one_of(Cause cause, std::initializer_list<Cause> causes) {
  return std::find(causes.begin(), causes.end(), cause) != causes.end();
}

// Something was not there yet when the failing thread went on.
bool is_too_early(const Explanation& explanation) {
  return is_one_of(explanation.cause,
                   {Cause::kReadTooEarly, Cause::kReadTooLate, Cause::kCameTooEarly,
                    Cause::kUsedBeforeInit, Cause::kLastWriter});
}

// Who came before the other one, at its step.
struct Early {
  ThreadId thread{};
  std::uint64_t step = kAtTheEnd;
};

Early early_one(const Explanation& explanation, const Failure& failure) {
  Early early{failure.thread};
  if (explanation.cause == Cause::kReadTooLate) early.thread = explanation.first.thread;
  if (is_one_of(explanation.cause, {Cause::kCameBetween, Cause::kCameTooEarly}))
    early.thread = explanation.middle.thread;
  for (const ExplainedStep& step : explanation.steps)
    if (step.thread == early.thread) early.step = step.step;
  return early;
}

// Threads met that something was to keep apart, or one came too early: what lets threads go on may
// have decided that.
bool is_of_order(const Explanation& explanation) {
  return is_too_early(explanation) ||
         is_one_of(explanation.cause, {Cause::kNone, Cause::kCameBetween, Cause::kCheckThenAct,
                                       Cause::kTwoReads, Cause::kOverwritten, Cause::kSeenHalfWay,
                                       Cause::kTornPair, Cause::kUnordered, Cause::kLostUpdate});
}

// Of these a wait that ended too early is not the cause: two threads changed the same.
bool is_of_updates(const Explanation& explanation) {
  return is_one_of(explanation.cause, {Cause::kCheckThenAct, Cause::kOverwritten,
                                       Cause::kSeenHalfWay, Cause::kLostUpdate});
}

bool is_about(const Explanation& explanation, ThreadId thread) {
  return std::any_of(explanation.steps.begin(), explanation.steps.end(),
                     [&](const ExplainedStep& step) { return step.thread == thread; }) ||
         explanation.first.thread == thread || explanation.middle.thread == thread ||
         explanation.last.thread == thread;
}

// What the failing thread went past has to do with what happened: it was to wait there, or another
// thread that disturbed it is past it, too.
bool matters(const Explanation& explanation, const Pass& pass, const std::vector<Event>& events,
             const std::map<std::uint16_t, std::size_t>& have) {
  if (pass.object->kind != CountedKind::kSemaphore) return is_too_early(explanation);
  const ThreadId own = events[pass.event].thread;
  const std::vector<std::size_t>& posts = pass.object->posts;
  const bool gives_back = std::any_of(
      posts.begin(), posts.end(), [&](std::size_t event) { return events[event].thread == own; });
  if (is_too_early(explanation) && !gives_back) return true;
  return have.contains(raw(own)) && std::any_of(have.begin(), have.end(), [&](const auto& one) {
           return ThreadId{one.first} != own && is_about(explanation, ThreadId{one.first});
         });
}

ExplainedPass told(const Pass& pass, const KeptTrace& trace, const Failure& failure,
                   Symbolizer& symbols, const std::map<std::uint16_t, std::size_t>& others) {
  const std::vector<Event>& events = trace.all();
  const CountedObject& object = *pass.object;
  std::vector<std::size_t> posts;
  for (const std::size_t event : object.posts)
    if (event < pass.event) posts.push_back(event);
  if (object.kind == CountedKind::kBarrier && object.start) {
    // Those of this round: the last ones.
    const auto round = std::min(posts.size(), static_cast<std::size_t>(*object.start));
    posts.erase(posts.begin(), posts.end() - static_cast<std::ptrdiff_t>(round));
  }
  ExplainedPass passed;
  passed.kind = object.kind;
  passed.start = object.start;
  passed.posted = posts.size();
  if (posts.size() > kMostShown)
    posts.erase(posts.begin(), posts.end() - static_cast<std::ptrdiff_t>(kMostShown));
  std::set<std::size_t> shown(posts.begin(), posts.end());
  shown.insert(pass.event);
  if (object.made) shown.insert(*object.made);
  for (const auto& [thread, taken] : others) shown.insert(taken);
  Storyteller teller(trace, failure, symbols);
  teller.look_at(shown);
  passed.name = name_of(object, teller.object(pass.event));
  passed.pass = teller.access(pass.event);
  if (object.made) passed.made = teller.where(*object.made);
  if (passed.made && passed.made->line == 0) passed.made.reset();
  for (const std::size_t event : posts) passed.posts.push_back(teller.access(event));
  for (const auto& [thread, taken] : others) {
    if (ThreadId{thread} != events[pass.event].thread && taken < pass.event)
      passed.inside.push_back(teller.access(taken));
  }
  return passed;
}

// A count of threads that others wait for: the thread counts itself in, and out again when it is
// done. By address: where it counted itself in.
std::map<std::uint64_t, std::size_t> counts_itself(const KeptTrace& trace, ThreadId thread) {
  const std::vector<Event>& events = trace.all();
  std::map<std::uint64_t, std::uint64_t> values;
  std::map<std::uint64_t, std::size_t> in;
  std::set<std::uint64_t> out;
  std::set<std::uint64_t> others;  // changed otherwise
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Access access = access_of(events[i], i);
    const std::uint64_t place = events[i].object;
    const auto before = access.reads ? value_read(events[i]) : std::nullopt;
    if (before) values[place] = *before;
    const auto written = access.writes ? value_written(events[i]) : std::nullopt;
    if (!written) continue;
    const auto known = values.find(place);
    if (events[i].thread == thread && known != values.end()) {
      const bool up = *written == known->second + 1;
      const bool down = *written + 1 == known->second;
      if (up && !in.contains(place)) in[place] = i;
      if (down && in.contains(place)) out.insert(place);
      if (!up && !down) others.insert(place);
    }
    values[place] = *written;
  }
  std::erase_if(
      in, [&](const auto& one) { return !out.contains(one.first) || others.contains(one.first); });
  return in;
}

// The failing thread saw that nobody was counted in, and went on; the other one counts itself in
// only when it runs. `there` is an execution that shows that it does.
bool add_counted_late(Explanation& explanation, const KeptTrace& folded, const Failure& failure,
                      Symbolizer& symbols, const KeptTrace& there) {
  const ThreadId late = explanation.last.thread;
  if (!is_one_of(explanation.cause,
                 {Cause::kReadTooEarly, Cause::kCameTooEarly, Cause::kUnordered}) ||
      late == failure.thread)
    return false;
  const std::vector<Event>& events = folded.all();
  const AccessHistory history(folded);
  constexpr std::size_t kReadLast = 16;
  const std::map<std::uint64_t, std::size_t> counted = counts_itself(there, late);
  for (const Access& look : history.last_reads(failure.thread, events.size(), kReadLast)) {
    const auto in = counted.find(events[look.event].object);
    if (in == counted.end() || look.writes || value_read(events[look.event]) != 0U) continue;
    const auto early = [&](const AccessHistory::Entry& entry) {
      return entry.access.writes && entry.access.thread == late && entry.access.event < look.event;
    };
    const auto& all = history.at(in->first);
    const std::optional<std::size_t> made = history.creation(late);
    if (std::any_of(all.begin(), all.end(), early) || !made || *made > look.event) continue;
    Storyteller here(folded, failure, symbols);
    here.look_at({look.event, *made});
    Storyteller then(there, Failure{}, symbols);
    then.look_at({in->second});
    ExplainedAccess counts = then.access(in->second);
    if (here.object(look.event).name.empty() || counts.where.line == 0) continue;
    explanation.third = here.object(look.event);
    explanation.early = here.access(look.event);
    explanation.change = std::move(counts);
    explanation.started = here.where(*made);
    if (explanation.started->line == 0) explanation.started.reset();
    explanation.suggestion = Suggestion::kCountBeforeStart;
    return true;
  }
  return false;
}

// The function that made the first step took the permit, and that of the last step posts it: what
// lies between is the time of the permit.
bool spans_permit(const Explanation& explanation, const ExplainedAccess& taken,
                  const CountedObjects& objects, std::uint64_t semaphore, const KeptTrace& trace,
                  Symbolizer& symbols) {
  if (taken.where.function != explanation.first.where.function) return false;
  std::set<std::size_t> posts;
  for (const CountedObject& one : objects.all())
    if (one.address == semaphore) posts.insert(one.posts.begin(), one.posts.end());
  Storyteller teller(trace, Failure{}, symbols);
  teller.look_at(posts);
  return std::any_of(posts.begin(), posts.end(), [&](std::size_t post) {
    return trace.all()[post].thread == explanation.last.thread &&
           teller.where(post).function == explanation.last.where.function;
  });
}

// A semaphore that let in both, the thread that came between two steps and the one whose steps
// these are: that says more than what they met at. Not if each of the two steps is a call of its
// own that many may make at a time: then both must belong to the permit.
void tell_of_semaphore(Explanation& explanation, std::uint64_t semaphore, const KeptTrace* passing,
                       Symbolizer& symbols) {
  const ExplainedPass& passed = *explanation.passed;
  const auto other = std::find_if(
      passed.inside.begin(), passed.inside.end(),
      [&](const ExplainedAccess& one) { return one.thread == explanation.last.thread; });
  if (explanation.cause != Cause::kCameBetween || passed.kind != CountedKind::kSemaphore ||
      explanation.suggestion != Suggestion::kNone || other == passed.inside.end() ||
      passed.pass.thread != explanation.middle.thread)
    return;
  if (!explanation.lockers.empty()) {
    if (passing == nullptr) return;
    const KeptTrace there = fold_library_calls(*passing, symbols);
    if (!spans_permit(explanation, *other, CountedObjects(there), semaphore, there, symbols))
      return;
  }
  explanation.cause = Cause::kLetBothIn;
  explanation.object = {passed.name, explanation.object.field, {}};
  explanation.first = *other;
  explanation.last = passed.pass;
}

}  // namespace

std::optional<Explanation> find_posted_again(const KeptTrace& folded, const Failure& failure,
                                             Symbolizer& symbols) {
  const std::vector<Event>& events = folded.all();
  const CountedObjects objects(folded);
  const std::optional<Pass> pass = last_pass(objects, events, failure.thread);
  if (!pass || pass->object->kind != CountedKind::kSemaphore) return std::nullopt;
  const std::map<std::uint16_t, std::size_t> have = inside(*pass->object, events);
  const std::optional<std::int64_t> start = pass->object->start;
  if (!start || *start < 1 || !have.contains(raw(failure.thread)) ||
      std::int64_t(have.size()) <= *start)
    return std::nullopt;
  const std::optional<PostedAgain> found = posted_again(*pass->object, events);
  if (!found) return std::nullopt;
  std::set<std::size_t> shown = {found->before, found->again};
  for (const auto& [thread, taken] : have) shown.insert(taken);
  Storyteller teller(folded, failure, symbols);
  teller.look_at(shown);
  Explanation explanation;
  explanation.cause = Cause::kPostedAgain;
  explanation.object = teller.object(pass->event);
  if (explanation.object.name.empty()) return std::nullopt;
  explanation.object.field.clear();
  explanation.first = teller.access(found->again);
  explanation.middle = teller.access(found->before);
  explanation.last = teller.access(pass->event);
  explanation.start = start;
  explanation.suggestion = Suggestion::kPostOnce;
  for (const auto& [thread, taken] : have)
    if (ThreadId{thread} != failure.thread) explanation.arrivals.push_back(teller.access(taken));
  for (const std::size_t event : shown) {
    const bool posts = event == found->before || event == found->again;
    ExplainedStep step = teller.step(event, posts ? StepAction::kPosts : StepAction::kTakes);
    step.object.clear();
    step.violates = event == found->again;
    teller.add_step(explanation, std::move(step));
  }
  return explanation;
}

namespace {

std::optional<Explanation> made_for_too_few(const KeptTrace& folded, const Failure& failure,
                                            const Early& who, Symbolizer& symbols,
                                            const KeptTrace* passing) {
  const ThreadId thread = who.thread;
  const std::vector<Event>& events = folded.all();
  const CountedObjects objects(folded);
  const CountedObject* one = awaited(objects, events, failure, thread);
  std::optional<std::size_t> passed;
  if (one == nullptr) {
    const std::optional<Pass> pass = last_pass(objects, events, thread, who.step);
    if (!pass) return std::nullopt;
    one = pass->object;
    passed = pass->event;
  }
  TooSmall teller(folded, failure, symbols);
  if (is_too_small(*one, events)) return teller.run(*one, thread, passed, folded, *one);
  if (passing == nullptr) return std::nullopt;
  const KeptTrace other = fold_library_calls(*passing, symbols);
  const CountedObjects there(other);
  const CountedObject* same = there.at(one->address);
  if (same == nullptr || same->kind != one->kind || same->start != one->start) return std::nullopt;
  if (!is_too_small(*same, other.all())) return std::nullopt;
  return teller.run(*one, thread, passed, other, *same);
}

// The thread's last look at it.
bool sees_nothing_left(const KeptTrace& trace, ThreadId thread, std::uint64_t address) {
  const std::vector<Event>& events = trace.all();
  const auto look = std::find_if(events.rbegin(), events.rend(), [&](const Event& event) {
    return event.thread == thread && event.object == address && value_read(event);
  });
  return look != events.rend() && !access_of(*look, 0).writes && value_read(*look) == 0U;
}

// It waits for ever, and saw the count below 0 when it looked last; where it goes on, it sees 0.
bool waits_below(const CountedObject& one, const KeptTrace& folded, const Failure& failure,
                 const KeptTrace* passing) {
  if (failure.kind != OutcomeKind::kDeadlock || !is_too_small(one, folded.all())) return false;
  const std::vector<Event>& events = folded.all();
  const auto look = std::find_if(events.rbegin(), events.rend(), [&](const Event& event) {
    return event.thread == failure.thread && event.object == one.address && value_read(event);
  });
  return look != events.rend() && one.value && !access_of(*look, 0).writes &&
         static_cast<std::int32_t>(*value_read(*look)) < 0 && passing != nullptr &&
         sees_nothing_left(*passing, failure.thread, one.address);
}

// The same of what the program counts down by hand: the failing thread saw it at 0, and others
// count it down after that, here or in the execution that passes; or it saw it below 0.
std::optional<Explanation> set_to_too_few(const KeptTrace& folded, const Failure& failure,
                                          const Early& who, Symbolizer& symbols,
                                          const KeptTrace* passing) {
  const std::vector<CountedObject> here = counted_by_hand(folded);
  std::optional<KeptTrace> other;
  std::vector<CountedObject> there;
  TooSmall teller(folded, failure, symbols);
  for (const CountedObject& one : here) {
    if (waits_below(one, folded, failure, passing)) {
      auto explanation = teller.run(one, failure.thread, std::nullopt, folded, one);
      if (!explanation) continue;
      explanation->by_hand = true;
      return explanation;
    }
    const auto look = std::find_if(one.passes.rbegin(), one.passes.rend(), [&](std::size_t event) {
      const Event& seen = folded.all()[event];
      return seen.thread == failure.thread || (seen.thread == who.thread && seen.step <= who.step);
    });
    if (look == one.passes.rend()) continue;
    const KeptTrace* more = &folded;
    const CountedObject* same = &one;
    if (!is_too_small(one, folded.all())) {
      if (passing == nullptr) continue;
      if (!other) {
        other = fold_library_calls(*passing, symbols);
        there = counted_by_hand(*other);
      }
      const auto found = std::find_if(there.begin(), there.end(), [&](const CountedObject& object) {
        return object.address == one.address && object.start == one.start &&
               is_too_small(object, other->all());
      });
      if (found == there.end()) continue;
      more = &*other;
      same = &*found;
    }
    auto explanation = teller.run(one, folded.all()[*look].thread, *look, *more, *same);
    if (!explanation) continue;
    explanation->by_hand = true;
    return explanation;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Explanation> find_made_for_too_few(const KeptTrace& folded, const Failure& failure,
                                                 ThreadId thread, Symbolizer& symbols) {
  return made_for_too_few(folded, failure, {thread}, symbols, nullptr);
}

void add_passed(Explanation& explanation, const KeptTrace& trace, const Failure& failure,
                Symbolizer& symbols, const KeptTrace* passing) {
  if (!is_of_order(explanation) || failure.kind == OutcomeKind::kNone) return;
  const KeptTrace folded = fold_library_calls(trace, symbols);
  const std::vector<Event>& events = folded.all();
  const Early who = early_one(explanation, failure);
  if (!is_of_updates(explanation)) {
    auto small = made_for_too_few(folded, failure, who, symbols, passing);
    if (small) {
      explanation = std::move(*small);
      return;
    }
  }
  if (explanation.empty()) return;
  if (is_too_early(explanation)) {
    auto small = set_to_too_few(folded, failure, who, symbols, passing);
    if (small) {
      explanation = std::move(*small);
      return;
    }
  }
  if (add_counted_late(explanation, folded, failure, symbols, folded)) return;
  if (passing != nullptr && add_counted_late(explanation, folded, failure, symbols,
                                             fold_library_calls(*passing, symbols)))
    return;
  const CountedObjects objects(folded);
  const std::optional<Pass> pass = last_pass(objects, events, who.thread, who.step);
  if (!pass) return;
  std::map<std::uint16_t, std::size_t> others;
  if (pass->object->kind == CountedKind::kSemaphore) others = inside(*pass->object, events);
  if (!matters(explanation, *pass, events, others)) return;
  ExplainedPass passed = told(*pass, folded, failure, symbols, others);
  if (passed.name.empty() || passed.pass.where.line == 0) return;
  explanation.passed = std::move(passed);
  // The program waits there already; what it waits for is the question.
  if (explanation.suggestion == Suggestion::kAwaitWrite ||
      explanation.suggestion == Suggestion::kComeAfter ||
      explanation.suggestion == Suggestion::kWriteBeforeStart)
    explanation.suggestion = Suggestion::kNone;
  // It is the lock that was to keep the others out.
  const bool lock = explanation.passed->start == 1 && !explanation.passed->inside.empty();
  if (lock && explanation.suggestion == Suggestion::kKeepOut)
    explanation.suggestion = Suggestion::kNone;
  tell_of_semaphore(explanation, pass->object->address, passing, symbols);
}

}  // namespace raddle
