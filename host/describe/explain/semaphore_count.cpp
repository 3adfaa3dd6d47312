// A thread waits for a semaphore for ever: how often it was posted, and who took what was posted.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "host/describe/explain/counting/counted_objects.hpp"
#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

// A thread took it and ended, or waits for it again, and what was taken at the same place was
// posted by another one, or before; or nobody ever posted it.
struct Kept {
  std::size_t taken = 0;
  std::optional<std::size_t> ended;
  std::optional<std::size_t> posted;
};

// An inlined function has a site for each of its callers, and one place.
std::string place_of(const Site& site) {
  for (const SiteFrame& frame : site.frames)
    if (!is_system_header(frame.file)) return frame.file + ':' + std::to_string(frame.line);
  return {};
}

std::optional<Kept> kept(std::uint64_t semaphore, const KeptTrace& trace, ThreadId waiter) {
  const std::vector<Event>& events = trace.all();
  std::map<std::uint16_t, std::size_t> has;  // by thread: where it took what it has not posted
  std::map<std::uint16_t, std::size_t> ended;
  // By where it was taken, and by thread: the post.
  std::map<std::string, std::map<std::uint16_t, std::size_t>> given_back;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::uint16_t thread = raw(events[i].thread);
    if (events[i].kind == EventKind::thread_end) ended[thread] = i;
    if (events[i].object != semaphore) continue;
    if (events[i].kind == EventKind::destroy) {  // what comes is another one
      has.clear();
      given_back.clear();
    }
    if (events[i].kind == EventKind::await) has[thread] = i;
    if (events[i].kind != EventKind::signal) continue;
    const auto own = has.find(thread);
    if (own == has.end()) return std::nullopt;  // who posts what it did not take hands over
    given_back[place_of(trace.site(events[own->second].site))][thread] = i;
    has.erase(own);
  }
  const bool is_posted = !given_back.empty();
  for (const auto& [thread, taken] : has) {
    const std::string place = place_of(trace.site(events[taken].site));
    const auto end = ended.find(thread);
    // What others have and may post yet is not its own fault.
    const bool itself = thread == raw(waiter) && has.size() == 1;
    if (place.empty() || (end == ended.end() && !itself)) continue;
    for (const auto& [other, posted] : given_back[place])
      if (itself || other != thread || posted < taken) {
        return Kept{taken, itself ? std::nullopt : std::optional(end->second), posted};
      }
  }
  if (is_posted) return std::nullopt;
  for (const auto& [thread, taken] : has) {
    if (ended.contains(thread)) return Kept{taken, ended[thread], std::nullopt};
    if (thread == raw(waiter) && has.size() == 1) return Kept{taken, std::nullopt, std::nullopt};
  }
  return std::nullopt;
}

void add_waiter(Explanation& explanation, const ThreadLine& line) {
  explanation.last.thread = line.id;
  for (const Frame& frame : line.stack) {
    if (!frame.in_program) continue;
    explanation.last.where = frame.where;
    break;
  }
}

std::optional<Explanation> explain_kept(const KeptTrace& trace, const Failure& failure,
                                        const ThreadLine& waiter, Symbolizer& symbols) {
  const std::optional<Kept> found = kept(waiter.address, trace, waiter.id);
  if (!found) return std::nullopt;
  Storyteller teller(trace, failure, symbols);
  std::set<std::size_t> shown = {found->taken};
  for (const std::optional<std::size_t>& event : {found->posted, found->ended})
    if (event) shown.insert(*event);
  teller.look_at(shown);
  Explanation explanation;
  explanation.cause = Cause::kPermitKept;
  explanation.object = teller.object(found->taken);
  if (explanation.object.name.empty()) explanation.object.ref = waiter.doing.object;
  explanation.first = teller.access(found->taken);
  if (found->posted) {
    explanation.middle = teller.access(*found->posted);
    // Who takes and who posts may be functions of their own: it is their caller that must do both.
    const std::vector<std::string> taking = function_names(teller.stacks().stack(found->taken));
    const std::vector<std::string> posting = function_names(teller.stacks().stack(*found->posted));
    const auto both =
        std::find_first_of(taking.begin(), taking.end(), posting.begin(), posting.end());
    if (both != taking.end()) {
      explanation.first.function = unqualified(*both);
      explanation.suggestion = Suggestion::kAlwaysPost;
    }
  }
  for (const std::size_t event : shown) {
    const StepAction action = event == found->taken   ? StepAction::kTakes
                              : event == found->ended ? StepAction::kEnds
                                                      : StepAction::kPosts;
    ExplainedStep step = teller.step(event, action);
    step.object.clear();
    step.violates = event == found->ended.value_or(found->taken);
    teller.add_step(explanation, std::move(step));
  }
  add_waiter(explanation, waiter);
  return explanation;
}

// There is something to take, and the thread waits all the same: libstdc++'s acquire() sleeps until
// the number changes if it lost against another thread, also if the number is not 0 by then (GCC 12
// has it).
std::optional<Explanation> explain_library_wait(const KeptTrace& trace, const Failure& failure,
                                                const ThreadLine& waiter,
                                                const CountedObject* object, Symbolizer& symbols) {
  const bool futex = waiter.doing.object.cls == ObjectClass::futex;
  if (object == nullptr || !futex || object->posts.empty() || object->value.value_or(0) <= 0)
    return std::nullopt;
  Storyteller teller(trace, failure, symbols);
  teller.look_at({object->posts.back()});
  Explanation explanation;
  explanation.cause = Cause::kWokenInVain;
  explanation.object = teller.object(object->posts.back());
  if (explanation.object.name.empty()) explanation.object.ref = waiter.doing.object;
  explanation.object.field.clear();
  explanation.first = teller.access(object->posts.back());
  explanation.start = object->start;
  explanation.value = object->value;
  ExplainedStep post = teller.step(object->posts.back(), StepAction::kPosts);
  post.object.clear();
  teller.add_step(explanation, std::move(post));
  add_waiter(explanation, waiter);
  return explanation;
}

// std::counting_semaphore is a number that its functions count by themselves.
class Counters {
 public:
  explicit Counters(const KeptTrace& trace) : trace_(trace) {
    for (const Event& event : trace.all())
      if (is_atomic(event.kind) && is_of_semaphore(event.site)) counters_.insert(event.object);
  }

  bool contains(std::uint64_t address) const { return counters_.contains(address); }

  // The same, with what takes from a counter and adds to it as what is done with a semaphore.
  KeptTrace as_semaphores() const {
    std::vector<Event> events = trace_.all();
    for (Event& event : events) {
      if (!counters_.contains(event.object)) continue;
      const bool takes = event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0;
      const bool posts = event.kind == EventKind::atomic_update;
      const bool wakes = event.kind == EventKind::signal || event.kind == EventKind::await;
      if (takes) event.kind = EventKind::await;
      if (posts) event.kind = EventKind::signal;
      if (wakes) event.kind = EventKind::none;
    }
    return trace_.retold(std::move(events), {});
  }

 private:
  bool is_of_semaphore(SiteId site) const {
    const std::vector<SiteFrame>& frames = trace_.site(site).frames;
    return std::any_of(frames.begin(), frames.end(), [](const SiteFrame& frame) {
      return is_system_header(frame.file) && frame.function.find("semaphore") != std::string::npos;
    });
  }

  const KeptTrace& trace_;
  std::set<std::uint64_t> counters_;  // addresses
};

}  // namespace

KeptTrace with_semaphores(const KeptTrace& trace) { return Counters(trace).as_semaphores(); }

std::optional<Explanation> explain_semaphore(const KeptTrace& given, const Failure& failure,
                                             Symbolizer& symbols) {
  const Counters counters(given);
  const KeptTrace trace = counters.as_semaphores();
  const std::vector<Event>& events = trace.all();
  for (const ThreadLine& line : failure.threads) {
    const bool waits = line.blocked && (line.doing.object.cls == ObjectClass::semaphore ||
                                        counters.contains(line.address));
    if (!waits || line.address == 0) continue;
    const CountedObjects objects(given);
    const CountedObject* object = objects.at(line.address);
    if (auto wrong = explain_library_wait(given, failure, line, object, symbols)) return wrong;
    if (auto one = explain_kept(trace, failure, line, symbols)) return one;
    std::size_t posts = 0;
    std::size_t taken = 0;
    std::size_t last_post = 0;
    std::size_t last_taken = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].object != line.address) continue;
      if (events[i].kind == EventKind::signal) {
        ++posts;
        last_post = i;
      } else if (events[i].kind == EventKind::await) {
        ++taken;
        last_taken = i;
      }
    }
    if (posts == 0 || taken == 0 || events[last_taken].thread == line.id) continue;
    Storyteller teller(trace, failure, symbols);
    teller.look_at({last_post, last_taken});
    Explanation explanation;
    explanation.cause = Cause::kTooFewPosts;
    explanation.object = teller.object(last_post);
    if (explanation.object.name.empty()) explanation.object.ref = line.doing.object;
    explanation.first = teller.access(last_post);
    explanation.middle = teller.access(last_taken);
    explanation.posts = posts;
    explanation.taken = taken;
    if (object != nullptr) explanation.start = object->start;
    add_waiter(explanation, line);
    return explanation;
  }
  return std::nullopt;
}

}  // namespace raddle
