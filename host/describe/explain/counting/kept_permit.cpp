#include "host/describe/explain/counting/kept_permit.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "host/describe/explain/events/final_waits.hpp"
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

// A std::counting_semaphore may be posted more than once at a time; its event has what it was
// before and after.
std::uint64_t posted_by(const Event& event) {
  return event.value2 > event.value ? event.value2 - event.value : 1;
}

std::optional<Kept> kept(std::uint64_t semaphore, const KeptTrace& trace, ThreadId waiter) {
  const std::vector<Event>& events = trace.all();
  // By thread: where it took what it has not posted; what it took last it posts first.
  std::map<std::uint16_t, std::vector<std::size_t>> has;
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
    if (events[i].kind == EventKind::await) has[thread].push_back(i);
    if (events[i].kind != EventKind::signal) continue;
    std::vector<std::size_t>& own = has[thread];
    const std::uint64_t posts = posted_by(events[i]);
    if (own.size() < posts) return std::nullopt;  // who posts what it did not take hands over
    for (std::uint64_t post = 0; post < posts; ++post, own.pop_back())
      given_back[place_of(trace.site(events[own.back()].site))][thread] = i;
    if (own.empty()) has.erase(thread);
  }
  const bool is_posted = !given_back.empty();
  for (const auto& [thread, all] : has) {
    const std::size_t taken = all.front();
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
  for (const auto& [thread, all] : has) {
    if (ended.contains(thread)) return Kept{all.front(), ended[thread], std::nullopt};
    if (thread == raw(waiter) && has.size() == 1)
      return Kept{all.front(), std::nullopt, std::nullopt};
  }
  return std::nullopt;
}

}  // namespace

// `by_hand`: `semaphore` is a number of the program's, which its steps tell as that.
static std::optional<Explanation> told(const std::optional<Kept>& found, const KeptTrace& trace,
                                       const Failure& failure, const ThreadLine& waiter,
                                       bool by_hand, Symbolizer& symbols) {
  if (!found) return std::nullopt;
  Storyteller teller(trace, failure, symbols);
  std::set<std::size_t> shown = {found->taken};
  for (const std::optional<std::size_t>& event : {found->posted, found->ended})
    if (event) shown.insert(*event);
  teller.look_at(shown);
  Explanation explanation;
  explanation.cause = Cause::kPermitKept;
  explanation.by_hand = by_hand;
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
    const bool number = by_hand && event != found->ended;
    ExplainedStep step = number ? teller.step(event) : teller.step(event, action);
    step.object.clear();
    step.violates = event == found->ended.value_or(found->taken);
    teller.add_step(explanation, std::move(step));
  }
  explanation.last.thread = waiter.id;
  const auto own = std::find_if(waiter.stack.begin(), waiter.stack.end(),
                                [](const Frame& frame) { return frame.in_program; });
  if (own != waiter.stack.end()) explanation.last.where = own->where;
  return explanation;
}

std::optional<Explanation> explain_kept_permit(const KeptTrace& trace, const Failure& failure,
                                               const ThreadLine& waiter, std::uint64_t semaphore,
                                               Symbolizer& symbols) {
  return told(kept(semaphore, trace, waiter.id), trace, failure, waiter, false, symbols);
}

namespace {

// Nothing if it is changed otherwise than by one, or is not 0 at the end.
std::optional<KeptTrace> as_semaphore(const KeptTrace& trace, std::uint64_t number) {
  std::vector<Event> events = trace.all();
  std::optional<std::uint64_t> value;
  bool used = false;
  for (std::size_t i = 0; i < events.size(); ++i) {
    Event& event = events[i];
    if (event.object != number) continue;
    const Access access = access_of(event, i);
    if (access.reads && value_read(event)) value = value_read(event);
    if (!access.writes) continue;
    const auto written = value_written(event);
    if (!written) return std::nullopt;
    const bool takes = value && *written + 1 == *value;
    const bool gives = value && *written == *value + 1;
    // Before threads use it, it is set.
    used = used || takes || gives;
    if (used && !takes && !gives) return std::nullopt;
    if (used) event.kind = takes ? EventKind::await : EventKind::signal;
    value = written;
  }
  if (value != 0U) return std::nullopt;
  return trace.retold(std::move(events), {});
}

}  // namespace

std::optional<Explanation> explain_permit_by_hand(const KeptTrace& trace, const Failure& failure,
                                                  Symbolizer& symbols) {
  const AccessHistory history(trace);
  Storyteller teller(trace, failure, symbols);
  FinalWaits waits(failure, history, teller);
  for (const FinalWait& waiter : waits.all()) {
    const auto line = std::find_if(failure.threads.begin(), failure.threads.end(),
                                   [&](const ThreadLine& one) { return one.id == waiter.thread; });
    if (!waiter.wait || line == failure.threads.end()) continue;
    for (const Access& look : waits.looks(waiter)) {
      const Event& seen = trace.all()[look.event];
      if (value_read(seen) != 0U || seen.size < 4) continue;  // a flag is no number
      const auto semaphore = as_semaphore(trace, seen.object);
      const auto found = semaphore ? kept(seen.object, *semaphore, line->id) : std::nullopt;
      auto explanation = told(found, trace, failure, *line, true, symbols);
      if (explanation && !explanation->object.name.empty()) return explanation;
    }
  }
  return std::nullopt;
}

}  // namespace raddle
