#include "host/campaign/harm/observed_run.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "host/analysis/asset/asset.hpp"

namespace raddle {
namespace {

// The units are wanted, not the violations.
AtomicSetOptions units_only(bool joint) {
  AtomicSetOptions options = asset_sets(joint);
  options.limits.max_automata = 0;
  options.limits.max_accesses = 0;
  return options;
}

}  // namespace

ObservedUnits::ObservedUnits(ExecutionState& state, bool joint)
    : state_(state), sets_(state, units_only(joint)) {
  sets_.tap(*this);
}

ObservedRun::ObservedRun(ExecutionState& state)
    : state_(state), joint_(state, true), separate_(state, false) {}

void ObservedRun::on_event(const Event& event) {
  for (const std::size_t block : std::exchange(ending_, {})) blocks_[block].end = event.step + 1;
  if (event.kind == EventKind::acquire || event.kind == EventKind::release) change_locks(event);
  if (event.kind == EventKind::wait) waits_.push_back({event.thread, event.step + 1});
  if (event.kind == EventKind::allocate || event.kind == EventKind::free)
    heap_.push_back({event.object, event.value, event.step + 1, event.kind == EventKind::free});
  if (is_access(event.kind) || (is_atomic(event.kind) && event.kind != EventKind::fence))
    keep_access(event);
  joint_.sets().on_event(event);
  separate_.sets().on_event(event);
}

void ObservedRun::change_locks(const Event& event) {
  if (!state_.outermost()) return;
  locks_[event.thread].push_back(
      {{state_.events(), event.step + 1}, state_.locks(event.thread).size()});
  const std::pair key{event.thread, event.object};
  if (event.kind == EventKind::acquire) {
    open_sections_[key] = sections_.size();
    sections_.push_back({event.thread, event.step, event.step, kNeverEnds, event.object,
                         state_.stable(event.site)});
  } else if (const auto open = open_sections_.find(key); open != open_sections_.end()) {
    sections_[open->second].end = event.step + 1;
    open_sections_.erase(open);
  }
}

void ObservedRun::keep_access(const Event& event) {
  if (too_long_) return;
  if (accesses_.size() >= kMostAccesses) {
    too_long_ = true;
    accesses_.clear();
    return;
  }
  ObservedAccess access{event.thread, event.step + 1, event.object, event.size,
                        false,        true,           event.value,  state_.stable(event.site)};
  switch (event.kind) {
    case EventKind::write:
      access.writes = true;
      break;
    case EventKind::write_range:
      access.writes = true;
      [[fallthrough]];
    case EventKind::read_range:
      access.bytes = event.value;
      access.known = false;
      break;
    case EventKind::atomic_store:
    case EventKind::atomic_update:
      access.writes = true;
      access.value = event.value2;
      break;
    case EventKind::atomic_compare:
      access.writes = (event.flags & kSuccess) != 0;
      if (access.writes) access.value = event.value2;
      break;
    case EventKind::read:
    case EventKind::atomic_load:
    default:
      break;
  }
  if ((event.flags & kNoValue) != 0 && !is_atomic(event.kind)) access.known = false;
  accesses_.push_back(access);
}

void ObservedUnits::opened(std::uint32_t unit, SetNumber /*set*/, ThreadIndex thread,
                           const UnitAccess& entered) {
  open_[unit] = {state_.thread(thread), entered, entered};
}

void ObservedUnits::accessed(std::uint32_t unit, LocationKey /*location*/, bool /*write*/,
                             const UnitAccess& access) {
  open_[unit].last = access;
}

void ObservedUnits::widened(std::uint32_t unit, const UnitAccess& entered) {
  open_[unit].entered = entered;
}

std::vector<ObservedUnits::Unit> ObservedUnits::take() {
  sets_.finish();
  for (const auto& [number, unit] : open_) ended_.push_back(unit);
  open_.clear();
  return std::move(ended_);
}

void ObservedUnits::closed(std::uint32_t unit) {
  const auto found = open_.find(unit);
  if (found == open_.end()) return;
  ended_.push_back(found->second);
  open_.erase(found);
}

void ObservedRun::on_block_begin(const AtomicBlock& block) {
  if (block.depth != 0) return;
  const std::uint64_t entered = block.entered.step;
  const std::uint64_t begin = block.entered.kind == EventKind::acquire ? entered : entered + 1;
  open_blocks_[block.number] = blocks_.size();
  const bool region = block.entered.kind == EventKind::acquire;
  blocks_.push_back(
      {block.thread, entered, begin, kNeverEnds, region ? block.entered.object : 0, 0});
}

void ObservedRun::on_block_end(const AtomicBlock& block) {
  const auto open = open_blocks_.find(block.number);
  if (open == open_blocks_.end()) return;
  ending_.push_back(open->second);  // with the event that comes now
  open_blocks_.erase(open);
}

std::size_t ObservedRun::held_at(const std::vector<LockChange>& changes, std::uint64_t time) const {
  const auto after = std::upper_bound(
      changes.begin(), changes.end(), time,
      [](std::uint64_t value, const LockChange& change) { return value < change.at.time; });
  return after == changes.begin() ? 0 : std::prev(after)->held;
}

void ObservedRun::settle(const ObservedUnits::Unit& unit) {
  const std::vector<LockChange>& changes = locks_[unit.thread];
  ObservedSpan span{
      unit.thread, unit.entered.step, unit.entered.step + 1, unit.last.step + 1, 0, 0};
  std::size_t held = held_at(changes, unit.entered.time);
  const bool is_access =
      unit.entered.origin == UnitOrigin::access || unit.entered.origin == UnitOrigin::lock_region;
  if (is_access) --span.begin;  // it is to be stopped before its access
  if (held > 0) {
    // And before it takes the locks that it holds there.
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
      if (change->at.time > unit.entered.time) continue;
      span.begin = change->at.step - 1;
      const auto before = std::next(change);
      if (before == changes.rend() || before->held == 0) break;
    }
    held = 0;
  }
  if (held_at(changes, unit.last.time) > held) {
    const auto free = std::find_if(changes.begin(), changes.end(), [&](const LockChange& change) {
      return change.at.time > unit.last.time && change.held <= held;
    });
    if (free != changes.end()) span.end = free->at.step;
  }
  units_.push_back(span);
}

void ObservedRun::finish() {
  std::vector<ObservedUnits::Unit> all = joint_.take();
  std::ranges::move(separate_.take(), std::back_inserter(all));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.entered.time, a.last.time) < std::pair(b.entered.time, b.last.time);
  });
  for (const ObservedUnits::Unit& unit : all) settle(unit);
}

}  // namespace raddle
