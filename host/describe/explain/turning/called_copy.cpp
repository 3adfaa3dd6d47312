// A std::function that is called after another thread has taken it off: it was copied before.
#include <algorithm>
#include <string_view>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/turning/turning_scene.hpp"

namespace raddle {

static bool has_frame(const KeptTrace& trace, std::size_t event, std::string_view name) {
  const std::vector<SiteFrame>& frames = trace.site(trace.all()[event].site).frames;
  return std::any_of(frames.begin(), frames.end(), [&](const SiteFrame& frame) {
    return frame.function.find(name) != std::string::npos;
  });
}

// By the function that all calls of one go through.
static bool is_in_function_object(TurningScene& scene, std::size_t late) {
  const std::vector<std::size_t> calls = scene.there.stacks().calls(late);
  return std::any_of(calls.begin(), calls.end(), [&](std::size_t call) {
    return has_frame(scene.passing, call, "std::_Function_handler");
  });
}

// Its thread copied one at that place.
static bool copies_function(TurningScene& scene, std::size_t begin, std::size_t until) {
  const std::vector<Event>& events = scene.failing.all();
  std::set<std::size_t> copies;
  for (std::size_t i = begin; i < until; ++i) {
    if (events[i].thread == events[begin].thread && has_frame(scene.failing, i, "std::function::"))
      copies.insert(i);
  }
  scene.here.look_at(copies);
  const Where place = scene.here.where(begin);
  return place.line != 0 && std::any_of(copies.begin(), copies.end(), [&](std::size_t event) {
           return scene.here.where(event) == place;
         });
}

void add_called_copy(TurningScene& scene, const Conflict& chosen, std::size_t begin,
                     const std::set<std::size_t>& shown, Explanation& explanation,
                     ExplainedTurn& turn) {
  const std::vector<Event>& events = scene.failing.all();
  const std::string name = scene.here.object(begin).name;
  if (!access_of(events[begin], begin).reads || name.empty() ||
      name == scene.here.object(chosen.early).name)
    return;
  const auto change = std::find_if(shown.rbegin(), shown.rend(), [&](std::size_t event) {
    return event > begin && event < chosen.early &&
           events[event].thread == events[chosen.early].thread &&
           access_of(events[event], event).writes && scene.here.object(event).name == name;
  });
  if (change == shown.rend() || !is_in_function_object(scene, chosen.late) ||
      !copies_function(scene, begin, chosen.early))
    return;
  const std::vector<Where> first = scene.here.stacks().stack(begin);
  const std::vector<Where> last = scene.there.stacks().stack(chosen.late);
  const auto call = std::find_if(last.begin(), last.end(), [&](const Where& where) {
    return !where.function.empty() && where.function == first.front().function;
  });
  if (call == last.begin() || call == last.end() || call->line == 0) return;
  turn.called = *call;
  turn.taken_off = scene.here.access(*change);
  explanation.suggestion = Suggestion::kAwaitCalls;
}

}  // namespace raddle
