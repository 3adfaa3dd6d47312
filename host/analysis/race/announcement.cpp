#include "host/analysis/race/announcement.hpp"

#include <algorithm>

namespace raddle {
namespace {

constexpr std::size_t kMostHeard = 10'000;
constexpr std::uint64_t kWidest = 16;  // bytes of an atomic operation

bool is_update(const Event& event) {
  return event.kind == EventKind::atomic_update ||
         (event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0);
}

// Whether anybody who reads it afterwards sees something else than before.
bool changes(const Event& event) {
  if (is_update(event)) return event.value != event.value2;
  return event.kind == EventKind::atomic_store;
}

FindingRole role_of(const Event& event) {
  return event.kind == EventKind::atomic_load ? FindingRole::atomically_reads
                                              : FindingRole::atomically_writes;
}

}  // namespace

Announcements::Announcements(ExecutionState& state, std::vector<std::uint64_t> places)
    : state_(state), places_(places.begin(), places.end()) {}

Announcements::Access Announcements::access_of(const Event& event) {
  return {state_.index(event.thread), state_.events(), state_.point(event), event.step,
          is_update(event)};
}

void Announcements::load(const Event& event, const Access& access) {
  const auto stored = stores_.find(event.object);
  if (stored == stores_.end() || stored->second.thread == access.thread) return;
  if (heard_.size() == kMostHeard) return;
  if (!known_.insert({stored->second.event, access.thread}).second) return;
  unnamed_[access.thread].push_back(heard_.size());
  heard_.push_back({event.object, stored->second, access, {}});
}

// An access that may race. What its thread has heard so far may be said of it.
void Announcements::come_to(const Event& event) {
  if (places_.count(state_.stable(event.site)) == 0) return;
  Times& times = times_[spot(event)];
  if (times.first == 0) times.first = state_.events();
  times.last = state_.events();
  std::vector<std::size_t>& unnamed = unnamed_[state_.index(event.thread)];
  for (const std::size_t index : unnamed) {
    Heard& heard = heard_[index];
    for (const Access* access : {&heard.stored, &heard.loaded}) {
      const Event atomic = state_.recall(access->point, heard.address, access->step);
      heard.steps.push_back(
          state_.step(access->point, heard.address, access->step, role_of(atomic)));
    }
  }
  unnamed.clear();
}

// Whatever overlaps it is no longer what was stored there.
void Announcements::forget(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t kBefore = kWidest - 1;
  const std::uint64_t from = address > kBefore ? address - kBefore : 0;
  stores_.erase(stores_.lower_bound(from), stores_.lower_bound(address + bytes));
}

void Announcements::on_event(const Event& event) {
  const bool atomic = is_atomic(event.kind) && event.kind != EventKind::fence;
  if (is_access(event.kind) || atomic || event.kind == EventKind::free) come_to(event);
  if (event.kind == EventKind::allocate || event.kind == EventKind::free ||
      event.kind == EventKind::local || event.kind == EventKind::write_range) {
    forget(event.object, event.value);
  } else if (event.kind == EventKind::write) {
    forget(event.object, event.size);
  } else if (atomic) {
    const Access access = access_of(event);
    if (event.kind != EventKind::atomic_store) load(event, access);
    if (event.kind == EventKind::atomic_store || is_update(event)) forget(event.object, event.size);
    if (changes(event)) stores_[event.object] = access;
  }
}

const Announcements::Heard* Announcements::between(const Event& earlier, const Event& later) const {
  const auto from = times_.find(spot(earlier));
  const auto to = times_.find(spot(later));
  if (from == times_.end() || to == times_.end()) return nullptr;
  const ThreadIndex writer = state_.index(earlier.thread);
  const ThreadIndex reader = state_.index(later.thread);
  const Heard* found = nullptr;
  for (const Heard& heard : heard_) {
    if (heard.stored.thread != writer || heard.loaded.thread != reader) continue;
    // The loop that an access is in may make it several times in one step.
    if (heard.stored.event <= from->second.last || heard.loaded.event >= to->second.first) continue;
    const bool counts = heard.stored.updates && heard.loaded.updates;
    if (counts && later.kind != EventKind::free) continue;
    if (found == nullptr || heard.loaded.event > found->loaded.event) found = &heard;
  }
  return found;
}

std::vector<FindingStep> Announcements::of(const Finding& race) const {
  if (race.kind != FindingKind::race || race.steps.size() != 2) return {};
  const Heard* heard = between(race.steps[0].event, race.steps[1].event);
  return heard == nullptr ? std::vector<FindingStep>() : heard->steps;
}

}  // namespace raddle
