// Both threads update a variable and then take a lock, in two orders: an update and the lock that
// follows it are no unit.
#include <algorithm>

#include "host/describe/explain/events/step_events.hpp"
#include "host/describe/explain/turning/turning_scene.hpp"

namespace raddle {

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
static std::optional<std::size_t> last_update(TurningScene& scene, ThreadId thread,
                                              std::size_t from, std::size_t to,
                                              std::uint64_t object) {
  for (std::size_t i = to; i-- > from;) {
    const Event& event = scene.failing.all()[i];
    if (event.thread != thread || event.kind != EventKind::atomic_update) continue;
    if ((object == 0 || event.object == object) && scene.program_here.contains(event.site))
      return i;
  }
  return std::nullopt;
}

static bool stays_in_call(TurningScene& scene, std::size_t first, std::size_t last) {
  const std::vector<std::string> inner = function_names(scene.here.stacks().stack(first));
  const std::vector<std::string> outer = function_names(scene.here.stacks().stack(last));
  return !inner.empty() && std::find(outer.begin(), outer.end(), inner.front()) != outer.end();
}

std::optional<TurningStory> explain_overtaken(TurningScene& scene) {
  if (!scene.point.begin || !scene.point.late) return std::nullopt;
  const auto early = acquisition(scene.failing, scene.point.early);
  const auto late_here = acquisition(scene.failing, *scene.point.late);
  const auto late = acquisition(scene.passing, scene.point.passing_late);
  if (!early || !late || !late_here || *late_here < *early) return std::nullopt;
  const std::uint64_t lock = scene.failing.all()[*early].object;
  if (scene.failing.all()[*late_here].object != lock || scene.passing.all()[*late].object != lock)
    return std::nullopt;
  const std::vector<std::size_t> step = events_of(scene.failing, *scene.point.begin);
  const ThreadId thread = scene.failing.all()[*late_here].thread;
  const auto first =
      step.empty() ? std::nullopt : last_update(scene, thread, step.front(), step.back() + 1, 0);
  if (!first) return std::nullopt;
  const std::uint64_t object = scene.failing.all()[*first].object;
  const auto middle =
      last_update(scene, scene.failing.all()[*early].thread, *first, *early, object);
  if (!middle || last_update(scene, thread, *first + 1, *late_here, object)) return std::nullopt;
  const std::set<std::size_t> shown = {*first, *middle, *early, *late_here};
  scene.here.look_at(shown);
  scene.there.look_at({*late});
  if (scene.here.stacks().taken(*first, lock) || scene.here.stacks().taken(*middle, lock))
    return std::nullopt;
  TurningStory story;
  Explanation& explanation = story.explanation;
  explanation.cause = Cause::kOvertaken;
  explanation.object = scene.here.object(*first);
  explanation.lock = ExplainedLock{scene.here.lock_name(lock), {}};
  explanation.first = scene.here.access(*first);
  explanation.middle = scene.here.access(*middle);
  explanation.change = scene.here.access(*early);
  explanation.last = scene.here.access(*late_here);
  const bool known = std::all_of(shown.begin(), shown.end(), [&](std::size_t event) {
    return scene.here.where(event).line != 0;
  });
  if (!known || explanation.object.name.empty() || explanation.lock->name.empty())
    return std::nullopt;
  // Each in one call of a function, which can hold the lock all the time.
  if (goes_on(scene, *first, *late) && stays_in_call(scene, *middle, *early))
    explanation.suggestion = Suggestion::kUpdateLocked;
  scene.here.add_steps(explanation, shown, *late_here);
  story.objects.insert(explanation.object.name);
  return story;
}

}  // namespace raddle
