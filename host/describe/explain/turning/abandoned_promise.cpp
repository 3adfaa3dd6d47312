// A promise that is destroyed before it has a value, in the failing execution alone.
#include <algorithm>
#include <map>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/turning/turning_scene.hpp"

namespace raddle {

// By event: the lines that were executed of the function by which the library tells who waits
// that a promise has come to nothing. It is called for each promise, and does so for some.
static std::map<std::size_t, std::uint32_t> abandoning(const KeptTrace& trace) {
  std::map<std::size_t, std::uint32_t> lines;
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (const SiteFrame& frame : trace.site(events[i].site).frames) {
      if (frame.function.find("_M_break_promise") != std::string::npos) lines[i] = frame.line;
    }
  }
  return lines;
}

// A promise that came to nothing here, and none in the execution that passes.
static std::optional<std::size_t> abandoned(TurningScene& scene) {
  std::set<std::uint32_t> usual;
  for (const auto& [event, line] : abandoning(scene.passing)) usual.insert(line);
  for (const auto& [event, line] : abandoning(scene.failing))
    if (!usual.contains(line)) return event;
  return std::nullopt;
}

// What the other thread read of it last before the promise was destroyed, and ended.
static void add_leaving(TurningScene& scene, Explanation& explanation, std::size_t until) {
  const std::vector<Event>& events = scene.failing.all();
  const ThreadId other = explanation.turn->late.thread;
  std::optional<std::size_t> read;
  std::optional<std::size_t> end;
  for (std::size_t i = 0; i < until; ++i) {
    if (events[i].thread != other) continue;
    if (events[i].kind == EventKind::thread_end) end = i;
    const bool same = std::any_of(scene.early.begin(), scene.early.end(), [&](std::size_t early) {
      return early < i && events[early].object == events[i].object &&
             access_of(events[early], early).writes;
    });
    if (same && access_of(events[i], i).reads && scene.program_here.contains(events[i].site))
      read = i;
  }
  if (!read || !end) return;
  scene.here.look_at({*read});
  const ExplainedObject object = scene.here.object(*read);
  ExplainedAccess access = scene.here.access(*read);
  if (access.where.line == 0 || object.name != explanation.object.name) return;
  explanation.late = std::move(access);
}

void add_abandoned_promise(TurningScene& scene, Explanation& explanation) {
  const std::optional<std::size_t> here = abandoned(scene);
  if (!here || !explanation.turn) return;
  scene.here.look_at({*here});
  ExplainedAccess access = scene.here.access(*here);
  if (access.where.line == 0) return;
  explanation.turn->abandoned = std::move(access);
  add_leaving(scene, explanation, *here);
  const bool order = explanation.suggestion == Suggestion::kComeAfter;
  if (order || explanation.suggestion == Suggestion::kNone)
    explanation.suggestion = Suggestion::kFulfil;
}

}  // namespace raddle
