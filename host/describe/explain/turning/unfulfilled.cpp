// A future that the failing thread waits for is fulfilled in the execution that passes alone.
#include <algorithm>
#include <string_view>

#include "host/describe/explain/turning/turning_scene.hpp"

namespace raddle {

static bool waits_for_future(const Failure& failure) {
  const auto line = std::find_if(failure.threads.begin(), failure.threads.end(),
                                 [&](const ThreadLine& one) { return one.id == failure.thread; });
  return line != failure.threads.end() && line->blocked &&
         std::any_of(line->stack.begin(), line->stack.end(), [](const Frame& frame) {
           return frame.where.function.starts_with("std::__future_base::") ||
                  frame.where.function.starts_with("std::__basic_future::") ||
                  frame.where.function.starts_with("std::future::");
         });
}

// By event: where the program calls what gives a promise its value, or an exception.
static std::set<std::size_t> fulfilments(const KeptTrace& trace, ThreadId thread) {
  std::set<std::size_t> found;
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].thread != thread) continue;
    const std::vector<SiteFrame>& frames = trace.site(events[i].site).frames;
    const bool sets = std::any_of(frames.begin(), frames.end(), [](const SiteFrame& frame) {
      return frame.function.find("std::promise::set_") != std::string::npos;
    });
    if (sets) found.insert(i);
  }
  return found;
}

bool fulfils_in_passing(const TurningScene& scene, ThreadId other) {
  return scene.failure.kind == OutcomeKind::kDeadlock && waits_for_future(scene.failure) &&
         other != scene.failure.thread && !fulfilments(scene.passing, other).empty() &&
         fulfilments(scene.failing, other).empty();
}

void add_unfulfilled(TurningScene& scene, Explanation& explanation) {
  if (!explanation.turn || explanation.turn->abandoned) return;
  const ThreadId other = explanation.turn->late.thread;
  if (!fulfils_in_passing(scene, other)) return;
  const std::set<std::size_t> there = fulfilments(scene.passing, other);
  scene.there.look_at(there);
  const auto told = std::find_if(there.begin(), there.end(), [&](std::size_t event) {
    return scene.there.where(event).line != 0;
  });
  if (told == there.end()) return;
  explanation.turn->fulfilled = scene.there.access(*told);
  explanation.suggestion = Suggestion::kFulfil;
}

}  // namespace raddle
