// The part of ExecutionState that answers questions.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/analysis/model/execution_state.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

const Site kUnknownSite{};
const std::vector<HeldLock> kNoLocks{};

}  // namespace

bool ExecutionState::ended(ThreadId id) const {
  return raw(id) < threads_.size() && threads_[raw(id)].life == Life::kEnded;
}

const std::vector<HeldLock>& ExecutionState::locks(ThreadId id) const {
  return raw(id) < threads_.size() ? threads_[raw(id)].locks : kNoLocks;
}

std::vector<HeldLock> ExecutionState::locks(HeldId held) const {
  std::vector<HeldLock> locks;
  for (; held != kNothingHeld; held = held_[raw(held)].before)
    locks.push_back(held_[raw(held)].lock);
  std::reverse(locks.begin(), locks.end());
  return locks;
}

std::uint64_t ExecutionState::held_since(ThreadId id, std::uint64_t lock) const {
  if (raw(id) >= threads_.size()) return 0;
  const Thread& thread = threads_[raw(id)];
  for (std::size_t i = 0; i < thread.locks.size(); ++i)
    if (thread.locks[i].lock == lock) return thread.holds[i].since;
  return 0;
}

std::vector<SiteId> ExecutionState::frames(StackId stack) const {
  std::vector<SiteId> sites;
  for (; stack != kEmptyStack; stack = frames_[raw(stack)].caller)
    sites.push_back(frames_[raw(stack)].site);
  return sites;
}

std::vector<std::uint64_t> ExecutionState::calls(StackId stack) const {
  std::vector<std::uint64_t> calls;
  for (; stack != kEmptyStack; stack = frames_[raw(stack)].caller)
    calls.push_back(frames_[raw(stack)].call);
  return calls;
}

SiteId ExecutionState::innermost(StackId stack) const {
  return stack == kEmptyStack ? kNoSite : frames_[raw(stack)].site;
}

FindingStep ExecutionState::step_of(const Event& event, FindingRole role, StackId stack,
                                    HeldId held) const {
  FindingStep step{
      event, role, name(event), {}, frames(stack), calls(stack), site(event.site).frames};
  for (const HeldLock& lock : locks(held)) {
    step.locks.push_back(name(lock.lock) + (lock.shared ? kForReading : ""));
  }
  return step;
}

FindingStep ExecutionState::step(const Event& event, FindingRole role) const {
  return step_of(event, role, stack(event.thread), held(event.thread));
}

Event ExecutionState::recall(PointId id, std::uint64_t object, std::uint64_t step) const {
  const Point& point = points_[raw(id)];
  Event event{};
  event.kind = point.kind;
  const bool valued = is_access(point.kind) || is_atomic(point.kind);
  event.flags = static_cast<std::uint8_t>(point.flags | (valued ? kNoValue : 0));
  event.size = point.size;
  event.thread = point.thread;
  event.site = point.site;
  event.step = step;
  event.object = object;
  event.context = point.context;
  return event;
}

FindingStep ExecutionState::step(PointId id, std::uint64_t object, std::uint64_t step,
                                 FindingRole role) const {
  const Point& point = points_[raw(id)];
  return step_of(recall(id, object, step), role, point.stack, point.held);
}

std::uint64_t ExecutionState::stable(PointId point) const {
  return stable(points_[raw(point)].site);
}

const Site& ExecutionState::site(SiteId id) const {
  return raw(id) < sites_.size() ? sites_[raw(id)] : kUnknownSite;
}

std::uint64_t ExecutionState::stable(SiteId id) const {
  return raw(id) < stable_.size() ? stable_[raw(id)] : 0;
}

bool ExecutionState::in_library(SiteId id) const {
  return raw(id) < library_.size() && library_[raw(id)];
}

bool ExecutionState::counts_references(SiteId id) const {
  return raw(id) < counts_.size() && counts_[raw(id)];
}

std::string ExecutionState::field(SiteId id) const {
  const Site& place = site(id);
  return place.cls.empty() || place.field.empty() ? place.field : place.cls + "::" + place.field;
}

std::string ExecutionState::function(SiteId id) const {
  const Site& place = site(id);
  return place.frames.empty() ? std::string() : place.frames.front().function;
}

std::string ExecutionState::name(std::uint64_t address) const {
  std::string name = namer_.object ? namer_.object(address) : std::string();
  if (!name.empty()) return name;
  const auto lock = lock_names_.find(address);
  if (lock != lock_names_.end() && !lock->second.name.empty()) return lock->second.name;
  return fmt::format("{:#x}", address);
}

std::string ExecutionState::lock_name(const Event& acquire) const {
  std::string name = namer_.object ? namer_.object(acquire.object) : std::string();
  if (!name.empty()) return name;
  for (const SiteFrame& frame : site(acquire.site).frames) {
    if (frame.file.empty() || frame.line == 0 || is_system_header(frame.file)) continue;
    return fmt::format("the lock first taken at {}:{}", base_name(frame.file), frame.line);
  }
  const Site& place = site(acquire.site);
  if (!place.frames.empty() && !place.frames.front().function.empty())
    return fmt::format("a lock of {}", place.frames.front().function);
  return place.module.empty() ? std::string() : fmt::format("a lock of {}", place.module);
}

std::string ExecutionState::name(const Event& event) const {
  if (event.object == 0) return {};
  std::string name = namer_.object_of ? namer_.object_of(event) : std::string();
  return name.empty() ? this->name(event.object) : name;
}

std::string ExecutionState::freed_name(const Event& free) const {
  std::string name = this->name(free);
  return name.empty() || name.starts_with("0x") ? "a block" : name;
}

std::string ExecutionState::thread_name(ThreadId id) const {
  std::string name = namer_.thread ? namer_.thread(id) : std::string();
  return name.empty() ? fmt::format("T{}", raw(id)) : name;
}

UnitOrigin ExecutionState::block_origin(const Event& entered) const {
  if (entered.kind == EventKind::acquire) return UnitOrigin::lock_region;
  const bool function = entered.kind == EventKind::enter;
  if (function && (site(entered.site).flags & (kSiteAtomic | kSiteDeclared)) == 0)
    return UnitOrigin::member_function;
  return UnitOrigin::annotated;
}

FindingUnit ExecutionState::block_unit(const Event& entered, const std::string& inside) const {
  FindingUnit unit{entered.thread, block_origin(entered), {}, entered.step};
  if (entered.kind == EventKind::acquire)
    unit.name = inside;
  else if (entered.kind == EventKind::enter)
    unit.name = function(entered.site);
  else
    unit.name = site(entered.site).field;
  return unit;
}

}  // namespace raddle
