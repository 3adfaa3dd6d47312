// The first of two steps told the other thread, too early, that it may come: a flag, a pointer, one
// of two values.
#include <algorithm>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/turning/made_known.hpp"
#include "host/describe/explain/turning/turning_scene.hpp"

namespace raddle {

bool tell_of_what_was_known(TurningScene& scene, const Conflict& chosen,
                            std::optional<std::size_t> begin, std::optional<std::size_t> late_here,
                            Explanation& explanation) {
  const Access early = access_of(scene.failing.all()[chosen.early], chosen.early);
  const Access late = access_of(scene.passing.all()[chosen.late], chosen.late);
  MadeKnownSearch search(scene.history, scene.program_here);
  std::optional<MadeKnown> known;
  if (early.reads && late.writes)
    known = search.before(chosen.early, scene.passing.all()[chosen.late].thread, late_here);
  else if (early.writes && late.reads && late_here)
    known = search.after(chosen.early, *late_here);
  if (!known || (begin && known->write != *begin)) return false;
  std::set<std::size_t> shown = {known->write, known->look, known->read};
  if (known->ready) shown.insert(*known->ready);
  scene.here.look_at(shown);
  Explanation told;
  told.first = scene.here.access(known->write);
  told.middle = scene.here.access(known->look);
  told.last = scene.here.access(known->read);
  told.change = known->ready ? scene.here.access(*known->ready) : scene.there.access(chosen.late);
  told.object = scene.here.object(known->read);
  told.other = scene.here.object(known->write);
  const bool no_lock = std::all_of(shown.begin(), shown.end(), [&](std::size_t event) {
    return scene.here.stacks().held(event).empty();
  });
  const bool placed = told.first.where.line != 0 && told.last.where.line != 0 &&
                      told.middle.where.line != 0 && told.change->where.line != 0;
  if (!placed || told.object.name.empty() || told.other.name.empty() ||
      told.object.name == told.other.name)
    return false;
  if (search.leads_on(*known)) {
    told.cause = Cause::kUnsafePublication;
    told.suggestion = Suggestion::kPublishLast;
    told.made_locked = !scene.here.stacks().held(known->write).empty();
  } else if (no_lock) {
    told.cause = Cause::kTornPair;
    told.suggestion = Suggestion::kGuardPair;
    std::swap(told.first, told.middle);
    std::swap(told.object, told.other);
  } else {
    return false;
  }
  scene.here.add_steps(told, shown, known->read);
  explanation = std::move(told);
  return true;
}

bool tell_of_publication(TurningScene& scene, const Conflict& chosen, std::size_t begin,
                         Explanation& explanation) {
  const std::vector<Event>& events = scene.failing.all();
  const Event& read = events[chosen.early];
  const Event& write = scene.passing.all()[chosen.late];
  const bool fits = is_atomic(events[begin].kind) && access_of(events[begin], begin).writes &&
                    read.kind == EventKind::read && write.kind == EventKind::write &&
                    !explanation.lock;
  if (!fits) return false;
  std::optional<std::size_t> look;
  for (std::size_t i = begin + 1; i < chosen.early; ++i) {
    if (events[i].object != events[begin].object) continue;
    const Access access = access_of(events[i], i);
    if (access.writes) return false;
    if (access.reads && events[i].thread == read.thread) look = i;
  }
  if (!look) return false;
  scene.here.look_at({begin, *look, chosen.early});
  explanation.cause = Cause::kUnsafePublication;
  explanation.other = scene.here.object(begin);
  explanation.first = scene.here.access(begin);
  explanation.middle = scene.here.access(*look);
  explanation.last = scene.here.access(chosen.early);
  explanation.change = scene.there.access(chosen.late);
  // Of one of another size the value is not that of the variable.
  const ExplainedObject written = scene.there.object(chosen.late);
  if (read.size != write.size) {
    explanation.last.read.reset();
    if (!written.name.empty()) explanation.object = written;
  }
  explanation.suggestion = Suggestion::kPublishLast;
  explanation.made_locked = !scene.here.stacks().held(begin).empty();
  explanation.lockers.clear();
  scene.here.add_steps(explanation, {begin, *look, chosen.early}, chosen.early);
  if (read.size != write.size) explanation.steps.back().read.reset();
  return true;
}

bool reads_flag_last(TurningScene& scene, const Conflict& chosen, std::size_t begin,
                     const std::set<std::size_t>& shown) {
  const std::vector<Event>& events = scene.failing.all();
  const Event& set = events[chosen.early];
  const Access look = access_of(scene.passing.all()[chosen.late], chosen.late);
  const Access first = access_of(events[begin], begin);
  const bool flag = set.size == 1 && value_written(set) == 1U && !access_of(set, 0).reads;
  const std::string name = scene.here.object(begin).name;
  if (!flag || !first.reads || !look.reads || look.writes || name.empty() ||
      name == scene.here.object(chosen.early).name)
    return false;
  return std::any_of(shown.begin(), shown.end(), [&](std::size_t event) {
    return event > begin && event < chosen.early && events[event].thread == set.thread &&
           access_of(events[event], event).writes && scene.here.object(event).name == name;
  });
}

}  // namespace raddle
