#include "host/describe/explain/turning/turning_point.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/folded_calls.hpp"
#include "host/describe/explain/events/step_events.hpp"
#include "host/describe/explain/turning/turning_scene.hpp"

namespace raddle {

constexpr std::size_t kMostConflicts = 8;  // that are tried to be told

static ExplainedStep told(const Storyteller& teller, std::size_t event) {
  ExplainedStep step = teller.step(event);
  const std::string name = teller.object(event).name;
  if (!name.empty()) step.object = name;
  return step;
}

// What came too late, in the failing execution; nothing if that ended before it.
static std::optional<std::size_t> same_here(TurningScene& scene, std::size_t late) {
  if (!scene.point.late) return std::nullopt;
  const Event& wanted = scene.passing.all()[late];
  for (const std::size_t event : events_of(scene.failing, *scene.point.late)) {
    const Event& now = scene.failing.all()[event];
    if (now.kind == wanted.kind && now.object == wanted.object) return event;
  }
  return std::nullopt;
}

// As it is in the failing execution: another one's values are not its own.
static ExplainedStep told_late(TurningScene& scene, std::size_t late,
                               std::optional<std::size_t> late_here) {
  if (late_here) return told(scene.here, *late_here);
  ExplainedStep step = told(scene.there, late);
  if (step.action == StepAction::kUpdates || step.action == StepAction::kExchanges)
    step.action = StepAction::kChanges;
  step.read = step.written = std::nullopt;
  return step;
}

// It waits for ever, and the other thread only reads what it wrote: that is not why, unless that
// one goes another way by it and does not do what is waited for.
static bool leaves_waiter_alone(TurningScene& scene, const Conflict& chosen) {
  const Event& late = scene.passing.all()[chosen.late];
  return scene.failure.kind == OutcomeKind::kDeadlock &&
         scene.failing.all()[chosen.early].thread == scene.failure.thread &&
         !access_of(late, chosen.late).writes && !fulfils_in_passing(scene, late.thread);
}

// Nobody is to wait at a place where threads come again and again, nor for one.
static bool come_once(TurningScene& scene, const Conflict& chosen) {
  const auto once = [](const KeptTrace& trace, std::size_t event) {
    const SiteId site = trace.all()[event].site;
    return std::count_if(trace.all().begin(), trace.all().end(),
                         [&](const Event& other) { return other.site == site; }) == 1;
  };
  return once(scene.failing, chosen.early) && once(scene.passing, chosen.late);
}

// What the thread of the late step wrote over the early one's write, and found there itself.
static std::optional<std::size_t> find_over(TurningScene& scene, std::size_t early,
                                            std::size_t late) {
  const Event& read = scene.failing.all()[late];
  if (!access_of(scene.failing.all()[early], early).writes || !access_of(read, late).reads)
    return std::nullopt;
  const auto last = scene.history.last_write(read.object, late);
  if (!last || last->event <= early || last->thread != read.thread) return std::nullopt;
  scene.here.look_at({last->event});
  if (scene.here.access(last->event).where.line == 0) return std::nullopt;
  return last->event;
}

// What one has to know to follow these steps: who else wrote what they are about, and where the
// thread that was disturbed waited.
static std::set<std::size_t> needed_between(TurningScene& scene, std::size_t begin,
                                            const std::set<std::size_t>& steps) {
  constexpr std::size_t kMostSeen = 64;
  constexpr std::size_t kMostAdded = 4;
  const std::vector<Event>& events = scene.failing.all();
  std::set<std::size_t> seen;
  for (std::size_t i = begin; i < *steps.rbegin() && seen.size() < kMostSeen; ++i) {
    const bool own = events[i].thread == events[begin].thread;
    const bool waits = own && events[i].kind == EventKind::wait;
    const bool writes =
        access_of(events[i], i).writes && scene.program_here.contains(events[i].site);
    if ((waits || writes) && !steps.contains(i)) seen.insert(i);
  }
  scene.here.look_at(seen);
  std::set<std::string> about;
  for (const std::size_t step : steps) about.insert(scene.here.object(step).name);
  about.erase("");
  // Of one thread and variable the last: it leaves what the next one finds.
  std::map<std::pair<std::uint16_t, std::string>, std::size_t> last;
  for (const std::size_t event : seen) {
    const bool waits = events[event].kind == EventKind::wait;
    const std::string object = scene.here.object(event).name;
    if (scene.here.where(event).line == 0 || (!waits && !about.contains(object))) continue;
    last[{raw(events[event].thread), waits ? "wait" : object}] = event;
  }
  for (const std::size_t step : steps) {
    if (access_of(events[step], step).writes)
      last.erase({raw(events[step].thread), scene.here.object(step).name});
  }
  std::set<std::size_t> chosen;
  for (const auto& [key, event] : last) {
    if (chosen.size() < kMostAdded) chosen.insert(event);
  }
  return chosen;
}

static bool tell(TurningScene& scene, const Conflict& chosen, std::optional<std::size_t> begin,
                 std::optional<std::size_t> late_here, Explanation& explanation) {
  if (leaves_waiter_alone(scene, chosen)) return false;
  ExplainedTurn turn;
  turn.early = told(scene.here, chosen.early);
  turn.late = told_late(scene, chosen.late, late_here);
  turn.late_here = late_here.has_value();
  if (begin) turn.begin = told(scene.here, *begin);
  const bool known = turn.early.where.line != 0 && turn.late.where.line != 0 &&
                     !turn.early.object.empty() && !turn.late.object.empty();
  if (!known) return false;
  if (turn.begin && (turn.begin->where.line == 0 || turn.begin->object.empty())) turn.begin.reset();
  explanation.cause = turn.begin ? Cause::kCameBetween : Cause::kCameTooEarly;
  explanation.object = scene.here.object(chosen.early);
  if (explanation.object.name.empty()) explanation.object.name = turn.early.object;
  explanation.middle = scene.here.access(chosen.early);
  explanation.last = scene.there.access(chosen.late);
  explanation.first = turn.begin ? scene.here.access(*begin) : explanation.middle;
  std::optional<std::size_t> over;  // the event of ExplainedTurn::over
  if (turn.begin) {
    tell_of_locks_between(scene, chosen, *begin, late_here, explanation);
  } else {
    if (tell_of_what_was_known(scene, chosen, begin, late_here, explanation)) return true;
    // It called the object before that was what it is to be.
    if (turn.early.action == StepAction::kCalls && turn.late.action == StepAction::kMakes) {
      explanation.cause = Cause::kUsedWhileMade;
      explanation.first = std::exchange(explanation.last, explanation.middle);
      explanation.suggestion = Suggestion::kHandOver;
    } else if (scene.point.helps_always && come_once(scene, chosen)) {
      explanation.suggestion = Suggestion::kComeAfter;
    }
    if (late_here) over = find_over(scene, chosen.early, *late_here);
    if (over) turn.over = scene.here.access(*over);
  }
  std::set<std::size_t> shown = {chosen.early};
  if (turn.begin) shown.insert(*begin);
  if (late_here) shown.insert(*late_here);
  if (over) shown.insert(*over);
  if (turn.begin) shown.merge(needed_between(scene, *begin, shown));
  if (turn.begin && tell_of_publication(scene, chosen, *begin, explanation)) return true;
  if (turn.begin && tell_of_what_was_known(scene, chosen, begin, late_here, explanation))
    return true;
  if (turn.begin && reads_flag_last(scene, chosen, *begin, shown)) {
    explanation.other = scene.here.object(*begin);
    // Simpler than a lock that neither of the two places has.
    const bool no_lock = explanation.suggestion == Suggestion::kKeepOut && !explanation.lock;
    if (explanation.suggestion == Suggestion::kNone || no_lock)
      explanation.suggestion = Suggestion::kReadFlagFirst;
  }
  if (turn.begin) add_called_copy(scene, chosen, *begin, shown, explanation, turn);
  scene.here.add_steps(explanation, shown, late_here.value_or(chosen.early));
  explanation.turn = std::move(turn);
  return true;
}

static bool tell_of(TurningScene& scene, const Conflict& chosen, TurningStory& story) {
  const std::optional<std::size_t> begin =
      scene.point.begin
          ? step_representative(scene, events_of(scene.failing, *scene.point.begin), chosen)
          : std::nullopt;
  const std::optional<std::size_t> late_here = same_here(scene, chosen.late);
  std::set<std::size_t> shown = {chosen.early};
  if (begin) shown.insert(*begin);
  if (late_here) shown.insert(*late_here);
  scene.here.look_at(shown);
  scene.there.look_at({chosen.late});
  story.explanation = {};
  return tell(scene, chosen, begin, late_here, story.explanation);
}

static std::optional<TurningStory> story_of(TurningScene& scene) {
  if (auto story = explain_overtaken(scene)) return story;
  if (auto story = explain_acted_late(scene)) return story;
  if (auto story = explain_lost_update(scene)) return story;
  const std::vector<Conflict> all = conflicts_in(scene);
  std::vector<Conflict> tried(all.begin(),
                              all.begin() + std::ptrdiff_t(std::min(all.size(), kMostConflicts)));
  // What two other threads met by need not say anything of what the failing one saw.
  const std::optional<Conflict> met = meeting_of_locks(scene);
  if (met && concerns_failing(scene, *met)) tried.push_back(*met);
  TurningStory story;
  // The optimiser drops places: then another one of these tells it.
  const bool told = std::any_of(tried.begin(), tried.end(),
                                [&](const Conflict& one) { return tell_of(scene, one, story); });
  if (!told) return std::nullopt;
  add_abandoned_promise(scene, story.explanation);
  add_unfulfilled(scene, story.explanation);
  std::set<std::size_t> early;
  for (const Conflict& one : all) early.insert(one.early);
  scene.here.look_at(early);
  for (const std::size_t event : early) story.objects.insert(scene.here.object(event).name);
  return story;
}

TurningScene::TurningScene(const KeptTrace& failing_trace, const KeptTrace& passing_trace,
                           const Failure& its_failure, const TurningPoint& its_point,
                           Symbolizer& its_symbols)
    : failing(failing_trace),
      passing(passing_trace),
      symbols(its_symbols),
      failure(its_failure),
      point(its_point),
      history(failing),
      program_here(failing),
      program_there(passing),
      here(failing, failure, its_symbols),
      there(passing, no_failure, its_symbols),
      early(events_of(failing, point.early)),
      late(events_of(passing, point.passing_late)) {}

std::optional<TurningStory> explain_turning_point(const KeptTrace& trace, const Failure& failure,
                                                  const TurningPoint& point, Symbolizer& symbols) {
  const KeptTrace failing = fold_library_calls(trace, symbols);
  const KeptTrace passing = fold_library_calls(point.passing, symbols);
  TurningScene scene(failing, passing, failure, point, symbols);
  std::optional<TurningStory> story = story_of(scene);
  if (story) story->failing = failure.thread;
  return story;
}

}  // namespace raddle
