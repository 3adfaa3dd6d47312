// A thread looked at something without a lock, and then took the lock to act on what it had seen;
// meanwhile another one changed that under the lock. The executions say no more than that the
// change, with the taking of its lock, came after the look and before the act. But a look and the
// taking of a lock do not mind each other's order: it is the act that came too late.
#include <algorithm>

#include "host/describe/explain/events/step_events.hpp"
#include "host/describe/explain/turning/turning_scene.hpp"

namespace raddle {

namespace {

struct ActedLate {
  std::uint64_t lock = 0;
  std::size_t look = 0;
  std::size_t change = 0;
  std::size_t taken = 0;  // the lock, by who had looked
  std::size_t act = 0;    // the first write with it
};

}  // namespace

// The lock that the first step of the other thread took.
static std::optional<std::size_t> taken_at_begin(const TurningScene& scene) {
  const std::vector<std::size_t> step = events_of(scene.failing, *scene.point.begin);
  if (step.empty()) return std::nullopt;
  const Event& event = scene.failing.all()[step.front()];
  const bool takes = event.kind == EventKind::acquire && event.value == 1 &&
                     (event.flags & (kShared | kByWait)) == 0;
  return takes ? std::optional(step.front()) : std::nullopt;
}

// The thread's next step takes the lock, after the change; and then it writes what others see.
static std::optional<ActedLate> act_after(TurningScene& scene, std::uint64_t lock, std::size_t look,
                                          std::size_t change) {
  const std::vector<Event>& events = scene.failing.all();
  const ThreadId thread = events[look].thread;
  ActedLate found{.lock = lock, .look = look, .change = change};
  for (std::size_t i = look + 1; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.thread != thread) continue;
    const Access access = access_of(event, i);
    const bool shared = (access.reads || access.writes) && scene.history.is_shared(event.object);
    if (found.taken == 0) {
      const bool takes = event.kind == EventKind::acquire && event.object == lock;
      if (!takes && (shared || event.kind == EventKind::acquire)) return std::nullopt;
      if (takes && (i < change || (event.flags & kShared) != 0)) return std::nullopt;
      if (takes) found.taken = i;
      continue;
    }
    if (event.object == events[look].object) return std::nullopt;  // it looks again
    if (event.kind == EventKind::release && event.object == lock) return std::nullopt;
    if (shared && access.writes && scene.program_here.contains(event.site)) {
      found.act = i;
      return found;
    }
  }
  return std::nullopt;
}

static std::optional<ActedLate> find(TurningScene& scene) {
  if (!scene.point.begin || !scene.point.late) return std::nullopt;
  const auto taken = taken_at_begin(scene);
  if (!taken) return std::nullopt;
  const std::vector<Event>& events = scene.failing.all();
  const std::uint64_t lock = events[*taken].object;
  for (const Conflict& one : conflicts_in(scene)) {
    const Access look = access_of(events[one.early], one.early);
    const Event& late = scene.passing.all()[one.late];
    if (look.writes || !access_of(late, one.late).writes) continue;
    for (const std::size_t change : events_of(scene.failing, *scene.point.late)) {
      const bool same = events[change].kind == late.kind && events[change].object == late.object;
      if (!same || value_written(events[change]) == value_read(events[one.early])) continue;
      scene.here.look_at({one.early, change});
      if (scene.here.stacks().taken(change, lock) != taken ||
          scene.here.stacks().taken(one.early, lock))
        continue;
      if (const auto found = act_after(scene, lock, one.early, change)) return found;
    }
  }
  return std::nullopt;
}

std::optional<TurningStory> explain_acted_late(TurningScene& scene) {
  const std::optional<ActedLate> found = find(scene);
  if (!found) return std::nullopt;
  const std::set<std::size_t> shown = {found->look, found->change, found->act};
  scene.here.look_at(shown);
  scene.here.look_at({found->taken});
  const auto functions = [&](std::size_t event) {
    return function_names(scene.here.stacks().stack(event));
  };
  const std::vector<std::string> outer = functions(found->look);
  const std::vector<std::string> inner = functions(found->act);
  // In one call of a function, which can hold the lock all the time.
  if (outer.empty() || std::find(inner.begin(), inner.end(), outer.front()) == inner.end())
    return std::nullopt;
  TurningStory story;
  Explanation& explanation = story.explanation;
  explanation.cause = Cause::kCheckThenAct;
  explanation.pattern = InterferenceKind::kCheckThenAct;
  explanation.object = scene.here.object(found->look);
  explanation.function = scene.here.where(found->look).function;
  explanation.first = scene.here.access(found->look);
  explanation.middle = scene.here.access(found->change);
  explanation.last = scene.here.access(found->act);
  // Not what was written there: that is another place.
  explanation.other = scene.here.object(found->act);
  explanation.last.read = explanation.last.written = std::nullopt;
  explanation.last.reads = false;
  explanation.lock = ExplainedLock{.name = scene.here.lock_name(found->lock),
                                   .taken = scene.here.where(found->taken),
                                   .middle = true,
                                   .last = true};
  explanation.suggestion = Suggestion::kHoldThroughout;
  const bool known = std::all_of(shown.begin(), shown.end(), [&](std::size_t event) {
    return scene.here.where(event).line != 0;
  });
  if (!known || explanation.object.name.empty() || explanation.other.name.empty() ||
      explanation.lock->name.empty())
    return std::nullopt;
  scene.here.add_steps(explanation, shown, found->act);
  story.objects.insert(explanation.object.name);
  return story;
}

}  // namespace raddle
