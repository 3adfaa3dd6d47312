// Two steps that another thread must not come between, and that are a read and a write of one
// update.
#include <algorithm>

#include "host/describe/explain/events/step_events.hpp"
#include "host/describe/explain/explainer.hpp"
#include "host/describe/explain/interference.hpp"
#include "host/describe/explain/turning/turning_scene.hpp"

namespace raddle {
namespace {

// What the step reads and the other one writes, with another thread's last write in between.
std::optional<Interference> update_around(TurningScene& scene, std::uint64_t begin,
                                          std::uint64_t late) {
  const std::vector<Event>& events = scene.failing.all();
  const ThreadId other = events[scene.early.front()].thread;
  for (const std::size_t read : events_of(scene.failing, begin)) {
    if (events[read].kind != EventKind::read || !scene.program_here.contains(events[read].site))
      continue;
    for (const std::size_t write : events_of(scene.failing, late)) {
      const bool same = events[write].kind == EventKind::write && write > read &&
                        events[write].object == events[read].object &&
                        events[write].thread == events[read].thread;
      if (!same) continue;
      const auto between = scene.history.last_write(events[read].object, write);
      if (!between || between->event < read || between->thread != other) continue;
      return Interference{InterferenceKind::kCheckThenAct,
                          access_of(events[read], read),
                          *between,
                          access_of(events[write], write),
                          events[read].object,
                          0,
                          0};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<TurningStory> explain_lost_update(TurningScene& scene) {
  if (!scene.point.begin || !scene.point.late || scene.early.empty()) return std::nullopt;
  auto found = update_around(scene, *scene.point.begin, *scene.point.late);
  if (!found) return std::nullopt;
  scene.here.look_at({found->first.event, found->last.event});
  const ExplainedStacks& stacks = scene.here.stacks();
  set_common_call(*found, stacks.calls(found->first.event), stacks.calls(found->last.event));
  TurningStory story;
  story.explanation = Explainer(scene.failing, scene.failure, *found, scene.symbols).run();
  const Explanation& told = story.explanation;
  if (told.cause != Cause::kLostUpdate || told.object.name.empty() || told.first.where.line == 0)
    return std::nullopt;
  story.objects.insert(told.object.name);
  return story;
}

}  // namespace raddle
