// What the two steps of a turning point met by: which of their accesses are told.
#include <algorithm>
#include <tuple>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/step_events.hpp"
#include "host/describe/explain/turning/turning_scene.hpp"

namespace raddle {

constexpr std::size_t kReadLast = 16;         // places that a failure is likely to depend on
constexpr std::size_t kEnoughConflicts = 64;  // of long critical sections

// What threads meet by, besides memory.
static bool synchronises(const Event& event) {
  return event.kind == EventKind::acquire || event.kind == EventKind::wait ||
         event.kind == EventKind::notify || event.kind == EventKind::free ||
         event.kind == EventKind::destroy;
}

// What it read is another value when the two come the other way round.
static bool matters(TurningScene& scene, const Conflict& one) {
  const Event& early = scene.failing.all()[one.early];
  const Event& late = scene.passing.all()[one.late];
  const auto differs = [](const KeptTrace& trace, std::uint64_t step, const Event& event) {
    const auto value = value_read(event);
    for (const std::size_t other : events_of(trace, step)) {
      const Event& same = trace.all()[other];
      if (same.object == event.object && same.kind == event.kind && value_read(same))
        return value && value != value_read(same);
    }
    return false;
  };
  return differs(scene.passing, scene.point.passing_early, early) ||
         (scene.point.late && differs(scene.failing, *scene.point.late, late));
}

// What the thread of `late` had looked at before the other one changed it.
static bool is_looked_at(TurningScene& scene, const Conflict& one) {
  if (!scene.point.begin || !access_of(scene.failing.all()[one.early], 0).writes) return false;
  const std::vector<std::size_t> step = events_of(scene.failing, *scene.point.begin);
  return std::any_of(step.begin(), step.end(), [&](std::size_t event) {
    return event < one.early && access_of(scene.failing.all()[event], event).reads &&
           scene.failing.all()[event].object == scene.failing.all()[one.early].object;
  });
}

static std::tuple<bool, bool, bool, bool, std::size_t> rank_of(TurningScene& scene,
                                                               const Conflict& one) {
  const Event& early = scene.failing.all()[one.early];
  const auto reads =
      scene.history.last_reads(scene.failure.thread, scene.failing.all().size(), kReadLast);
  const bool read_last = std::any_of(reads.begin(), reads.end(), [&](const Access& read) {
    return scene.failing.all()[read.event].object == early.object;
  });
  // A look and a write say more than two writes.
  const bool looks = access_of(early, 0).reads || access_of(scene.passing.all()[one.late], 0).reads;
  return {is_looked_at(scene, one), matters(scene, one), read_last, looks, one.early};
}

static std::vector<Conflict> all_conflicts(TurningScene& scene) {
  std::vector<Conflict> found;
  for (const std::size_t one : scene.early) {
    const Access access = access_of(scene.failing.all()[one], one);
    if ((!access.reads && !access.writes) ||
        !scene.program_here.contains(scene.failing.all()[one].site))
      continue;
    for (const std::size_t other : scene.late) {
      const Access second = access_of(scene.passing.all()[other], other);
      const bool same = scene.passing.all()[other].object == scene.failing.all()[one].object;
      if (!same || !(access.writes || second.writes) || !(second.reads || second.writes) ||
          !scene.program_there.contains(scene.passing.all()[other].site))
        continue;
      found.push_back({one, other});
      if (found.size() == kEnoughConflicts) return found;
    }
  }
  return found;
}

std::vector<Conflict> conflicts_in(TurningScene& scene) {
  std::vector<Conflict> all = all_conflicts(scene);
  std::stable_sort(all.begin(), all.end(), [&](const Conflict& a, const Conflict& b) {
    return rank_of(scene, a) > rank_of(scene, b);
  });
  return all;
}

bool concerns_failing(TurningScene& scene, const Conflict& one) {
  const ThreadId early = scene.failing.all()[one.early].thread;
  const ThreadId late = scene.passing.all()[one.late].thread;
  return early == scene.failure.thread || late == scene.failure.thread ||
         (reads_after_end(scene.failing, scene.failure.thread, early) &&
          reads_after_end(scene.failing, scene.failure.thread, late));
}

std::optional<Conflict> meeting_of_locks(TurningScene& scene) {
  for (const std::size_t one : scene.early) {
    for (const std::size_t other : scene.late) {
      if (synchronises(scene.failing.all()[one]) && synchronises(scene.passing.all()[other]) &&
          scene.failing.all()[one].object == scene.passing.all()[other].object)
        return Conflict{one, other};
    }
  }
  return std::nullopt;
}

// The step takes a lock that its thread holds at the other event, too.
static bool is_section_for(TurningScene& scene, const std::vector<std::size_t>& step,
                           std::size_t other) {
  if (step.empty() || scene.failing.all()[step.front()].kind != EventKind::acquire) return false;
  scene.here.look_at({other});
  return scene.here.stacks().taken(other, scene.failing.all()[step.front()].object).has_value();
}

// The thread accesses the same place, and one of the two writes.
static bool meets(TurningScene& scene, std::size_t event, ThreadId other) {
  const Access own = access_of(scene.failing.all()[event], event);
  if (!own.reads && !own.writes) return false;
  const std::vector<AccessHistory::Entry>& all =
      scene.history.at(scene.failing.all()[event].object);
  return std::any_of(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
    return entry.access.thread == other && (own.writes || entry.access.writes);
  });
}

// Of the step where the other thread should not have come in any more: what it wrote or read of
// the same place, else of what is shared, else the lock that it took.
// The other thread went before the whole step: what it has to come before is the first that it
// meets there; of a section under a lock that it holds, too, any of it.
std::optional<std::size_t> step_representative(TurningScene& scene,
                                               const std::vector<std::size_t>& step,
                                               const Conflict& chosen) {
  const ThreadId other = scene.failing.all()[chosen.early].thread;
  const bool locked = is_section_for(scene, step, chosen.early);
  for (const std::size_t event : step) {
    if (locked || event >= chosen.early) break;
    if (meets(scene, event, other) && scene.program_here.contains(scene.failing.all()[event].site))
      return event;
  }
  const auto rank = [&](std::size_t event) {
    const Event& now = scene.failing.all()[event];
    const Access access = access_of(now, event);
    const bool memory = access.reads || access.writes;
    if (memory && !scene.program_here.contains(now.site)) return 0;
    if (memory && now.object == scene.failing.all()[chosen.early].object) return 5;
    if (memory && scene.history.is_shared(now.object)) return access.writes ? 4 : 3;
    return synchronises(now) ? 2 : 0;
  };
  std::optional<std::size_t> best;
  for (const std::size_t event : step) {
    if (event >= chosen.early) break;  // a critical section may go on after it
    if (rank(event) > 0 && (!best || rank(event) > rank(*best))) best = event;
  }
  return best;
}

}  // namespace raddle
