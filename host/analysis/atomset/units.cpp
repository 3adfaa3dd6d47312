#include "host/analysis/atomset/units.hpp"

#include <algorithm>
#include <utility>

namespace raddle {

void UnitTracker::on_event(const Event& event) {
  if (event.kind == EventKind::decision) return;
  const std::uint64_t signalled = std::exchange(thread(event).signalled, 0);
  switch (event.kind) {
    case EventKind::enter:
      return enter(event, Kind::kFunction);
    case EventKind::unit_enter:
      return enter(event, Kind::kUnit);
    case EventKind::block_enter:
      return enter(event, Kind::kBlock);
    case EventKind::exit:
      return leave(event, Kind::kFunction);
    case EventKind::unit_exit:
      return leave(event, Kind::kUnit);
    case EventKind::block_exit:
      return leave(event, Kind::kBlock);
    case EventKind::acquire:
      if (options_.split_at_wait) begin_round(event);
      return;
    case EventKind::release:
      if (state_.locks(event.thread).empty()) close_regions(thread(event));
      return;
    case EventKind::wait:
      if (options_.split_at_wait) close(thread(event), 0);
      return;
    case EventKind::signal:
      thread(event).signalled = event.object;
      return;
    case EventKind::await:
      // A barrier: who signals an object and at once awaits it arrives there and waits for the
      // others. Semaphores and once flags are more like locks: a unit goes on after them.
      if (options_.split_at_wait && event.object != 0 && signalled == event.object)
        close(thread(event), 0);
      return;
    case EventKind::join:
      return close_joint(thread(event));
    case EventKind::fork: {
      close_joint(thread(event));
      if (event.value >= raw(kNoThread)) return;
      const ThreadIndex index = state_.index(event.thread);
      const ThreadIndex child = state_.index(ThreadId{static_cast<std::uint16_t>(event.value)});
      if (child <= index) return;  // indices count up: this is no new thread
      if (child >= threads_.size()) threads_.resize(child + std::size_t{1});
      if (threads_[child].born_at != 0) return;
      threads_[child].parent = index;
      threads_[child].born_at = state_.events();
      return;
    }
    case EventKind::thread_end: {
      Thread& self = thread(event);
      close(self, 0);
      self.frames.clear();
      self.direct.clear();
      self.is_direct = {};
      self.callbacks.clear();
      self.births = 0;
      self.program_depth = 0;
      return;
    }
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::wake:
    case EventKind::notify:
    case EventKind::read:
    case EventKind::write:
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
    case EventKind::fence:
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
    case EventKind::user:
    case EventKind::destroy:
      return;
  }
}

void UnitTracker::enter(const Event& event, Kind kind) {
  Thread& self = thread(event);
  Frame frame;
  frame.kind = kind;
  frame.object = event.object;
  frame.entered = {state_.events(), event.object, event.step, state_.point(event)};
  if (options_.joint) frame.serial = ++invocations_;
  if (kind == Kind::kFunction) {
    const AtomicSite& site = locations_.site(event.site);
    const std::uint32_t depth = state_.program_depth(state_.stack(event.thread));
    // The library's functions around what the thread was created for, and that itself.
    frame.entry = !options_.entry_units && (depth == 0 || (depth == 1 && self.program_depth == 0));
    // Whoever declares a function, or a set of its class, says what it is: a unit, also if a thread
    // does nothing else.
    const bool declared = (site.flags & kSiteDeclared) != 0;
    if (declared || (site.flags & kSiteOfSets) != 0) frame.entry = false;
    self.program_depth = depth;
    frame.everything = (site.flags & kSiteAtomic) != 0;
    frame.unit = (site.flags & kSiteUnit) != 0 && !frame.entry;
    frame.cls = site.cls;
    frame.entered.origin =
        frame.everything || declared ? UnitOrigin::annotated : UnitOrigin::member_function;
    frame.function = event.site;
    frame.library = state_.in_library(event.site);
    // Where a function was inlined, its own marker is part of the caller.
    if (options_.joint) frame.called_at = mix(event.value, state_.stable(event.site));
    frame.waits = (site.flags & kSiteWaits) != 0;
    frame.birth = event.object != 0 && (site.flags & (kSiteConstructor | kSiteDestructor)) != 0;
    if (frame.birth) ++self.births;
    if (event.object != 0) locations_.objects().extent(event.object, site.offset);
    if ((event.flags & kCallback) != 0)
      self.callbacks.push_back(static_cast<std::uint32_t>(self.frames.size()));
  } else {
    frame.everything = event.object == 0 || kind == Kind::kBlock;
    frame.unit = !frame.everything;
    frame.entered.origin = UnitOrigin::annotated;
  }
  self.frames.push_back(std::move(frame));
}

void UnitTracker::leave(const Event& event, Kind kind) {
  Thread& self = thread(event);
  std::size_t at = self.frames.size();
  while (at > 0 && self.frames[at - 1].kind != kind) {
    // A scope does not end beyond the function that it is in.
    if (kind != Kind::kFunction && self.frames[at - 1].kind == Kind::kFunction) return;
    --at;
  }
  if (at == 0) return;  // ExecutionState has said so
  --at;
  close(self, static_cast<std::uint32_t>(at));
  for (std::size_t i = at; i < self.frames.size(); ++i) {
    const Frame& frame = self.frames[i];
    if (frame.birth) --self.births;
    if (frame.kind == Kind::kFunction) ++calls_[raw(frame.function)];
  }
  self.frames.resize(at);
  while (!self.direct.empty() && self.direct.back().frame >= at) {
    self.is_direct.erase(perhaps_key(self.direct.back().set, self.direct.back().frame));
    self.direct.pop_back();
  }
  while (!self.callbacks.empty() && self.callbacks.back() >= at) self.callbacks.pop_back();
  if (kind == Kind::kFunction)
    self.program_depth = state_.program_depth(state_.stack(event.thread));
}

bool UnitTracker::may_touch(const Frame& frame, std::uint32_t cls) const {
  if (frame.kind != Kind::kFunction || frame.entry || frame.library) return false;
  const std::uint32_t* calls = calls_.find(raw(frame.function));
  return calls == nullptr || *calls < kCallsToKnow ||
         touched_.find(mix(raw(frame.function), cls)) != nullptr;
}

void UnitTracker::touch(Frame& frame, std::uint32_t cls) {
  if (frame.touches && frame.touched == cls) return;
  frame.touches = true;
  frame.touched = cls;
  touched_[mix(raw(frame.function), cls)] = true;
}

void UnitTracker::close(Thread& self, std::uint32_t from_frame) {
  for (std::size_t i = from_frame; i < self.frames.size(); ++i) {
    for (const SetNumber set : self.frames[i].perhaps) {
      const std::uint64_t key = perhaps_key(set, i);
      const AtomicSetEngine::UnitNumber* number = self.perhaps.find(key);
      if (number == nullptr) continue;
      engine_.discard(*number);
      self.perhaps.erase(key);
    }
    self.frames[i].perhaps.clear();
  }
  self.units.end_from(from_frame, [&](const OpenUnit& unit) { engine_.close(unit.number); });
}

void UnitTracker::close_regions(Thread& self) {
  self.units.end_regions([&](const OpenUnit& unit) { engine_.close(unit.number); });
}

void UnitTracker::close_joint(Thread& self) {
  self.units.end_joint([&](const OpenUnit& unit) { engine_.close(unit.number); });
}

bool UnitTracker::goes_on(Thread& self, OpenUnit& unit, const SetLocations::Target& target,
                          std::uint32_t cls) {
  const Frame& caller = self.frames[unit.frame];
  if (unit.frame + std::size_t{1} < self.frames.size()) {
    Frame& call = self.frames[unit.frame + std::size_t{1}];
    if (call.serial == unit.call) return true;
    // Its own calls count, not what those call: a narrower function is a unit by itself.
    if (call.kind != Kind::kFunction ||
        !declared_on(self, unit.frame + std::size_t{1}, target, cls))
      return false;
    const auto& known = unit.places;
    if (std::find(known.begin(), known.end(), call.called_at) != known.end()) return false;
    unit.places.push_back(call.called_at);
    unit.call = call.serial;
  }
  UnitAccess entered = caller.entered;
  entered.origin = UnitOrigin::joint_calls;
  engine_.widen(unit.number, entered);
  return true;
}

// A function that waits on a condition in a loop knows that things change while it waits; when it
// does not have to, the next round is a new unit all the same. (The worker of a thread pool.)
void UnitTracker::begin_round(const Event& acquire) {
  Thread& self = thread(acquire);
  std::size_t top = self.frames.size();
  while (top > 0 && self.frames[top - 1].kind != Kind::kFunction) --top;
  if (top == 0 || !self.frames[top - 1].waits || !state_.outermost()) return;
  std::vector<SiteId>& before = self.frames[top - 1].locked_at;
  if (std::find(before.begin(), before.end(), acquire.site) == before.end()) {
    before.push_back(acquire.site);
  } else {
    close(self, static_cast<std::uint32_t>(top - 1));
  }
}

bool UnitTracker::declared_on(Thread& self, std::size_t at, const SetLocations::Target& target,
                              std::uint32_t cls) {
  Frame& frame = self.frames[at];
  if (frame.everything) return true;
  if (frame.unit) {
    if (options_.same_class && cls != 0 && frame.cls == cls) return true;
    if (target.static_class != 0 && frame.cls == target.static_class) return true;
    if (frame.object != 0) {
      ObjectTracker& objects = locations_.objects();
      if (frame.version != objects.version()) {
        frame.resolved = objects.find(frame.object, true, 0).object;
        frame.version = objects.version();
      }
      if (frame.resolved == target.object) return true;
    }
  }
  return touched_itself(self, at, target.set);
}

bool UnitTracker::touched_itself(const Thread& self, std::size_t frame, SetNumber set) {
  constexpr std::size_t kFew = 16;
  if (self.direct.size() > kFew) return self.is_direct.find(perhaps_key(set, frame)) != nullptr;
  return std::any_of(self.direct.begin(), self.direct.end(), [&](const Direct& direct) {
    return direct.frame == frame && direct.set == set;
  });
}

bool UnitTracker::inside(const Event& event, const SetLocations::Target& target) {
  Thread& self = thread(event);
  const std::uint32_t cls = locations_.site(event.site).cls;
  const std::uint32_t first = self.first();
  const auto is_open = [&](const OpenUnit& unit) { return unit.frame >= first && !unit.joint; };
  if (self.units.find(target.set, is_open) != nullptr) return true;
  for (std::size_t i = first; i < self.frames.size(); ++i)
    if (declared_on(self, i, target, cls)) return true;
  return false;
}

bool UnitTracker::being_born(const Event& event, ObjectNumber object) {
  Thread& self = thread(event);
  if (self.births == 0) return false;
  ObjectTracker& objects = locations_.objects();
  for (const Frame& frame : self.frames)
    if (frame.birth && objects.find(frame.object, true, 0).object == object) return true;
  return false;
}

ObjectNumber UnitTracker::worker(const Event& event) {
  Thread& self = thread(event);
  for (std::size_t i = self.frames.size(); i > self.first(); --i) {
    const Frame& frame = self.frames[i - 1];
    if (frame.unit && frame.object != 0)
      return locations_.objects().find(frame.object, true, 0).object;
  }
  return kNoObjectNumber;
}

UnitTracker::Unit UnitTracker::unit_of(const Event& event, const SetLocations::Target& target,
                                       const UnitAccess& access) {
  Unit unit = real_unit_of(event, target, access);
  // Several calls on one object are one unit already, with what the caller does to it itself.
  if (options_.joint) return unit;
  perhaps_.clear();
  Thread& self = thread(event);
  std::uint32_t around = static_cast<std::uint32_t>(self.frames.size());
  const OpenUnit* open =
      unit.single ? nullptr : self.units.find(target.set, [&](const OpenUnit& one) {
        return one.number == unit.number;
      });
  if (open != nullptr && open->frame != OpenUnit::kRegion) around = open->frame;
  const std::uint32_t cls = locations_.objects()[target.object].cls;
  for (std::uint32_t i = self.first(); i < around; ++i) {
    if (!may_touch(self.frames[i], cls)) continue;
    const std::uint64_t key = perhaps_key(target.set, i);
    const AtomicSetEngine::UnitNumber* known = self.perhaps.find(key);
    if (known != nullptr) {
      perhaps_.push_back(*known);
      continue;
    }
    UnitAccess entered = self.frames[i].entered;
    entered.origin = UnitOrigin::function;
    perhaps_.push_back(engine_.open(target.set, state_.index(event.thread), entered, true));
    self.perhaps[key] = perhaps_.back();
    self.frames[i].perhaps.push_back(target.set);
  }
  unit.perhaps = perhaps_;
  return unit;
}

UnitTracker::Unit UnitTracker::real_unit_of(const Event& event, const SetLocations::Target& target,
                                            const UnitAccess& access) {
  Thread& self = thread(event);
  const ThreadIndex index = state_.index(event.thread);
  const std::uint32_t first = self.first();
  const std::uint32_t cls = locations_.site(event.site).cls;
  std::uint32_t top = static_cast<std::uint32_t>(self.frames.size());
  while (top > first && self.frames[top - 1].kind != Kind::kFunction) --top;
  if (top > first) touch(self.frames[top - 1], locations_.objects()[target.object].cls);
  const auto is_open = [first](const OpenUnit& unit) { return unit.frame >= first; };
  while (OpenUnit* unit = self.units.find(target.set, is_open)) {
    if (!unit->joint || goes_on(self, *unit, target, cls)) return {.number = unit->number};
    engine_.close(unit->number);
    self.units.erase(*unit);
  }
  const auto open = [&](std::uint32_t frame, const UnitAccess& entered) {
    const AtomicSetEngine::UnitNumber number = engine_.open(target.set, index, entered);
    OpenUnit unit;
    unit.set = target.set;
    unit.frame = frame;
    unit.number = number;
    if (options_.joint && frame != OpenUnit::kRegion && frame > first) {
      const Frame& call = self.frames[frame];
      const Frame& caller = self.frames[frame - 1];
      unit.joint = call.kind == Kind::kFunction && !call.everything &&
                   caller.kind == Kind::kFunction && !caller.entry && !caller.library;
      if (unit.joint) {
        unit.frame = frame - 1;
        unit.call = call.serial;
        unit.places.push_back(call.called_at);
      }
    }
    self.units.add(std::move(unit));
    return Unit{.number = number};
  };
  for (std::uint32_t i = first; i < self.frames.size(); ++i)
    if (declared_on(self, i, target, cls)) {
      UnitAccess entered = self.frames[i].entered;
      const bool by_itself = !self.frames[i].unit && !self.frames[i].everything;
      if (by_itself) entered.origin = UnitOrigin::function;
      return open(i, entered);
    }
  // A function that touches the set itself is a unit on it.
  if (top > first && !self.frames[top - 1].entry) {
    self.direct.push_back({top - 1, target.set});
    const std::uint64_t key = perhaps_key(target.set, top - 1);
    self.is_direct[key] = true;
    if (const AtomicSetEngine::UnitNumber* was = self.perhaps.find(key)) {
      const AtomicSetEngine::UnitNumber number = *was;
      self.perhaps.erase(key);
      engine_.settle(number);
      OpenUnit unit;
      unit.set = target.set;
      unit.frame = top - 1;
      unit.number = number;
      self.units.add(std::move(unit));
      return {.number = number};
    }
    UnitAccess entered = self.frames[top - 1].entered;
    if (!self.frames[top - 1].unit) entered.origin = UnitOrigin::function;
    return open(top - 1, entered);
  }
  if (top > first && !state_.locks(event.thread).empty()) {
    UnitAccess entered = access;
    entered.origin = UnitOrigin::lock_region;
    return open(OpenUnit::kRegion, entered);
  }
  if (!engine_.may_meet(target.set, index)) return {.single = true, .alone = true};
  return {.number = engine_.open(target.set, index, access), .single = true};
}

std::uint64_t UnitTracker::created_at(ThreadIndex u, ThreadIndex v) const {
  // Parents have smaller indices.
  while (v < threads_.size() && threads_[v].born_at != 0 && v > u) {
    if (threads_[v].parent == u) return threads_[v].born_at;
    v = threads_[v].parent;
  }
  return 0;
}

}  // namespace raddle
