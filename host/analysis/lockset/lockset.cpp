#include "host/analysis/lockset/lockset.hpp"

#include <fmt/format.h>

#include "host/analysis/model/volatile_access.hpp"
#include "host/analysis/shadow/extent.hpp"

namespace raddle {

LocksetAnalysis::Cell LocksetAnalysis::clone(const Cell& cell) {
  Cell copy = cell;
  if (copy.variable != 0) copy.variable = ++variables_;
  if (copy.users != 0) {
    copy.users = 0;
    const LatestUses original = users_[cell.users - 1];
    users(copy) = original;
  }
  return copy;
}

void LocksetAnalysis::drop(Cell& cell) {
  if (cell.users == 0) return;
  users_[cell.users - 1].clear();
  unused_users_.push_back(cell.users);
  cell.users = 0;
}

LatestUses& LocksetAnalysis::users(Cell& cell) {
  if (cell.users == 0) {
    if (unused_users_.empty()) {
      users_.emplace_back();
      unused_users_.push_back(static_cast<std::uint32_t>(users_.size()));
    }
    cell.users = unused_users_.back();
    unused_users_.pop_back();
  }
  return users_[cell.users - 1];
}

// The location is the thread's alone.
void LocksetAnalysis::own(Cell& cell, const Now& now) {
  drop(cell);
  cell.state = LocksetState::kExclusive;
  cell.owner = now.access.thread;
  cell.used = now.epoch;
  cell.variable = ++variables_;
  cell.at_writes = kAllLocks;
}

bool LocksetAnalysis::step(Cell& cell, const Now& now, HeldId held, Effect effect) {
  const bool writes = effect != Effect::kRead;
  const bool was_unprotected = unprotected(cell);
  const LockSetId at_writes = cell.at_writes;
  if (cell.state != LocksetState::kVirgin && now.access.thread != cell.last.thread)
    cell.other = cell.last;
  cell.last = now.access;
  switch (cell.state) {
    case LocksetState::kVirgin:
      // A first read leaves Eraser's virgin state too: memory is initialised by whom we may not
      // have seen (a loader, an uninstrumented library).
      own(cell, now);
      return false;
    case LocksetState::kExclusive:
      if (cell.owner == now.access.thread) {
        cell.used = now.epoch;
        return false;
      }
      if (now.clock.knows(cell.used)) {
        own(cell, now);
        return false;
      }
      cell.state = writes ? LocksetState::kSharedModified : LocksetState::kReadShared;
      cell.candidates = kAllLocks;
      cell.commuting = true;
      users(cell).use(cell.used, VectorClock{});
      users(cell).use(now.epoch, now.clock);
      break;
    case LocksetState::kReadShared:
    case LocksetState::kSharedModified:
      if (users(cell).use(now.epoch, now.clock)) {
        own(cell, now);
        return false;
      }
      if (writes) cell.state = LocksetState::kSharedModified;
      break;
  }
  cell.commuting = cell.commuting && effect == Effect::kCommutes;
  if (writes) {
    const LockSetId exclusive = sets_.exclusive(held);
    cell.candidates = sets_.intersect(cell.candidates, exclusive);
    cell.at_writes = sets_.intersect(cell.at_writes, exclusive);
  } else {
    cell.candidates = sets_.intersect(cell.candidates, sets_.any(held));
  }
  return unprotected(cell) && (!was_unprotected || cell.at_writes != at_writes);
}

void LocksetDetector::on_event(const Event& event) {
  if (is_volatile(event, state_)) {  // as atomic accesses, nobody expects a lock around it
    const Event relaxed = as_relaxed(event);
    analysis_.before(relaxed);
    analysis_.after(relaxed);
    return;
  }
  if (is_access(event.kind)) {
    const Extent extent = extent_of(event);
    if (extent.bytes == 0) return;
    bool described = false;
    analysis_.access(
        event, extent.address, extent.bytes,
        writes(event.kind) ? LocksetAnalysis::Effect::kWrite : LocksetAnalysis::Effect::kRead,
        [&](LocksetAnalysis::Cell& cell, std::uint64_t address, unsigned bytes, bool) {
          if (cell.reported || !LocksetAnalysis::unprotected(cell)) return;
          cell.reported = true;
          if (all_reports != nullptr) all_reports->push_back({address, bytes, event.step});
          if (!described) describe(event, cell, address);
          described = true;
        });
    return;
  }
  if (event.kind == EventKind::decision) return;
  if (renews_memory(event.kind)) analysis_.forget(event.object, event.value);
  analysis_.before(event);
  analysis_.after(event);
}

void LocksetDetector::describe(const Event& event, const LocksetAnalysis::Cell& cell,
                               std::uint64_t address) {
  const bool has_other = cell.other.point != kNoPoint;
  std::uint64_t place = mix(std::uint64_t(FindingKind::lockset) + 1, state_.stable(event.site));
  if (has_other) place = mix(place, state_.stable(cell.other.point));
  if (findings_.count(place)) return;
  Finding finding;
  finding.kind = FindingKind::lockset;
  finding.place = place;
  const FindingRole verb = writes(event.kind) ? FindingRole::writes : FindingRole::reads;
  if (has_other) {
    const std::uint64_t step = whole_step(cell.other.step, event.step);
    const Event other = state_.recall(cell.other.point, address, step);
    finding.steps.push_back(
        state_.step(cell.other.point, address, step,
                    writes(other.kind) ? FindingRole::writes : FindingRole::reads));
  }
  finding.steps.push_back(state_.step(event, verb));
  finding.object = finding.steps.back().object;
  finding.what =
      fmt::format("no lock is held at every access to {}: {} {} it with {}", finding.object,
                  state_.thread_name(event.thread), finding_role_text(verb),
                  state_.held(event.thread) == kNothingHeld ? "none held" : "others than before");
  finding.maybe_ordered_by = state_.unseen();
  finding.why =
      "Several threads use it and at least one writes, but no common lock keeps them apart; unless "
      "something else orders the accesses, they can meet.";
  findings_.add(std::move(finding));
}

std::unique_ptr<Detector> make_lockset_detector(ExecutionState& state, const AnalysisOptions&) {
  return std::make_unique<LocksetDetector>(state);
}

}  // namespace raddle
