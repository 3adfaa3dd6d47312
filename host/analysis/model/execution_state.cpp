#include "host/analysis/model/execution_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/symbols/member_names.hpp"
#include "host/symbols/place.hpp"
#include "protocol/site.hpp"

namespace raddle {

std::uint64_t ExecutionState::Point::hash() const {
  const std::uint64_t a = raw(site) | std::uint64_t(raw(stack)) << 32;
  const std::uint64_t b = raw(held) | std::uint64_t(raw(thread)) << 32 | std::uint64_t(kind) << 48 |
                          std::uint64_t(flags) << 56;
  return mix(a * 0x9e3779b97f4a7c15ULL + b * 0xc2b2ae3d27d4eb4fULL + context + size);
}

namespace {

bool in_shared_ptr(const Site& site) {
  for (const SiteFrame& frame : site.frames) {
    if (!is_system_header(frame.file)) return false;
    const std::string file = base_name(frame.file);
    // libstdc++ and libc++.
    if (file == "shared_ptr_base.h" || file == "shared_count.h") return true;
  }
  return false;
}

// Of a place, in every checkout of the program: of its files the last folder and the name count.
std::uint64_t place_hash(const Site& site) {
  if (site.frames.empty() && site.stable != 0) return site.stable;
  Site place = site;
  for (SiteFrame& frame : place.frames) {
    const std::size_t name = frame.file.rfind('/');
    if (name == std::string::npos || name == 0) continue;
    const std::size_t folder = frame.file.rfind('/', name - 1);
    if (folder != std::string::npos) frame.file.erase(0, folder + 1);
  }
  return stable_hash(place);
}

}  // namespace

ExecutionState::ExecutionState(Namer namer, std::size_t max_problems)
    : namer_(std::move(namer)), max_problems_(max_problems) {
  sites_.emplace_back();
  stable_.push_back(0);
  library_.push_back(false);
  counts_.push_back(false);
  volatile_.push_back(0);
  vptr_.push_back(0);
  last_at_.push_back(kNoPoint);
  frames_(Frame{});  // number 0 of each is "none"
  depths_.emplace_back();
  held_(HeldList{});
  points_(Point{});
}

void ExecutionState::define_site(SiteId id, const Site& site) {
  // Ids count up without gaps: anything else is a stream that must not make us allocate for it.
  if (raw(id) > sites_.size()) {
    problem(fmt::format("site {} is defined before site {}", raw(id), sites_.size()));
    return;
  }
  if (raw(id) == sites_.size()) {
    sites_.emplace_back();
    stable_.push_back(0);
    library_.push_back(false);
    counts_.push_back(false);
    volatile_.push_back(0);
    vptr_.push_back(0);
    last_at_.push_back(kNoPoint);
  }
  sites_[raw(id)] = site;
  stable_[raw(id)] = place_hash(site);
  counts_[raw(id)] = in_shared_ptr(site);
  volatile_[raw(id)] = is_access(site.kind) && (site.flags & kSiteVolatile) != 0 ? 1 : 0;
  vptr_[raw(id)] = site.kind == EventKind::write && site.field.ends_with(kVptrField) ? 1 : 0;
  library_[raw(id)] = !site.frames.empty() && is_system_header(site.frames.front().file);
}

void ExecutionState::begin_life(Thread& thread, ThreadId id) {
  thread = Thread{};
  thread.index = static_cast<ThreadIndex>(ids_.size());
  ids_.push_back(id);
}

// The thread of an event. One that nobody created is a problem once, and taken as running.
ExecutionState::Thread& ExecutionState::running(const Event& event) {
  const ThreadId id = event.thread;
  if (raw(id) >= threads_.size()) threads_.resize(raw(id) + 1);
  Thread& thread = threads_[raw(id)];
  switch (thread.life) {
    case Life::kRunning:
      return thread;
    case Life::kCreated:
      break;
    case Life::kUnknown:
      begin_life(thread, id);
      if (id != kMainThread) problem(fmt::format("T{} was never created", raw(id)));
      break;
    case Life::kEnded:  // the id is used again
      begin_life(thread, id);
      if (event.kind != EventKind::thread_begin)
        problem(fmt::format("T{} does something after its end", raw(id)));
      break;
  }
  thread.life = Life::kRunning;
  return thread;
}

void ExecutionState::on_event(const Event& event) {
  ++events_;
  outermost_ = false;
  Thread& thread = running(event);
  if (raw(event.site) >= sites_.size())
    problem(fmt::format("{} at unknown site {}", event_text(event.kind), raw(event.site)));
  switch (event.kind) {
    case EventKind::acquire:
      acquire(thread, event);
      break;
    case EventKind::release:
      release(thread, event);
      break;
    case EventKind::enter:
      enter(thread, event);
      break;
    case EventKind::exit:
      if (thread.stack == kEmptyStack)
        problem(fmt::format("T{} leaves a function that it did not enter", raw(event.thread)));
      else
        thread.stack = frames_[raw(thread.stack)].caller;
      break;
    case EventKind::fork:
      fork(event);
      break;
    case EventKind::join:
      if (event.value >= threads_.size() || threads_[event.value].life == Life::kUnknown)
        problem(
            fmt::format("T{} joins T{}, which was never created", raw(event.thread), event.value));
      break;
    case EventKind::thread_end:
      thread.life = Life::kEnded;
      break;
    case EventKind::block_enter:
      ++thread.blocks;
      break;
    case EventKind::block_exit:
      leave_scope(thread.blocks, event);
      break;
    case EventKind::unit_enter:
      ++thread.units;
      break;
    case EventKind::unit_exit:
      leave_scope(thread.units, event);
      break;
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::wait:
    case EventKind::wake:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::await:
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
      break;
    case EventKind::destroy:
      if (const auto lock = lock_names_.find(event.object); lock != lock_names_.end())
        lock->second.gone = true;
      break;
  }
}

void ExecutionState::enter(Thread& thread, const Event& event) {
  const StackId caller = thread.stack;
  thread.stack = StackId{frames_(Frame{caller, event.site, event.value})};
  if (raw(thread.stack) < depths_.size()) return;
  Depth depth = depths_[raw(caller)];
  ++depth.all;
  if (raw(event.site) >= library_.size() || !library_[raw(event.site)]) ++depth.program;
  depths_.push_back(depth);
}

void ExecutionState::leave_scope(std::uint32_t& open, const Event& event) {
  if (open > 0)
    --open;
  else
    problem(fmt::format("T{}: {} without its begin", raw(event.thread), event_text(event.kind)));
}

void ExecutionState::fork(const Event& event) {
  if (event.value >= raw(kNoThread)) {
    problem(fmt::format("T{} creates a thread with the number {}", raw(event.thread), event.value));
    return;
  }
  const ThreadId child{static_cast<std::uint16_t>(event.value)};
  if (raw(child) >= threads_.size()) threads_.resize(raw(child) + std::size_t{1});
  Thread& born = threads_[raw(child)];
  if (born.life == Life::kRunning || born.life == Life::kCreated) {
    problem(fmt::format("T{} creates T{}, which exists", raw(event.thread), raw(child)));
    return;
  }
  begin_life(born, child);
  born.life = Life::kCreated;
}

// Recursion is counted here rather than taken from the event: a stream that is wrong about it
// stays consistent in itself.
void ExecutionState::acquire(Thread& thread, const Event& event) {
  for (std::size_t i = 0; i < thread.locks.size(); ++i) {
    if (thread.locks[i].lock == event.object) {
      ++thread.holds[i].depth;
      return;
    }
  }
  const HeldLock lock{event.object, (event.flags & kShared) != 0};
  thread.locks.push_back(lock);
  thread.holds.push_back({1, events_});
  thread.held = HeldId{held_(HeldList{thread.held, lock})};
  outermost_ = true;
  shared_ = lock.shared;
  remember_lock(event);
}

// Detectors report at the end: most locks that are no global variables are gone by then.
void ExecutionState::remember_lock(const Event& acquire) {
  constexpr std::size_t kMostLockNames = 1 << 16;
  const auto known = lock_names_.find(acquire.object);
  if (known != lock_names_.end() && !known->second.gone) return;
  if (known == lock_names_.end() && lock_names_.size() >= kMostLockNames) return;
  lock_names_[acquire.object] = {lock_name(acquire), false};
}

void ExecutionState::release(Thread& thread, const Event& event) {
  std::size_t i = thread.locks.size();
  while (i > 0 && thread.locks[i - 1].lock != event.object) --i;
  if (i == 0) {
    problem(fmt::format("T{} releases {}, which it does not hold", raw(event.thread),
                        name(event.object)));
    return;
  }
  if (--thread.holds[--i].depth > 0) return;
  shared_ = thread.locks[i].shared;
  thread.locks.erase(thread.locks.begin() + static_cast<std::ptrdiff_t>(i));
  thread.holds.erase(thread.holds.begin() + static_cast<std::ptrdiff_t>(i));
  if (i == thread.locks.size()) {
    thread.held = held_[raw(thread.held)].before;
  } else {
    thread.held = kNothingHeld;
    for (const HeldLock& lock : thread.locks)
      thread.held = HeldId{held_(HeldList{thread.held, lock})};
  }
  outermost_ = true;
}

void ExecutionState::make_point(const Event& event) {
  const Thread& thread = threads_[raw(event.thread)];
  const Point point{event.kind, event.flags,  event.size,  event.thread,
                    event.site, thread.stack, thread.held, event.context};
  point_of_ = events_;
  const bool known = raw(event.site) < last_at_.size();
  if (known && points_[raw(last_at_[raw(event.site)])] == point) {
    point_ = last_at_[raw(event.site)];
    return;
  }
  point_ = PointId{points_(point)};
  if (known) last_at_[raw(event.site)] = point_;
}

void ExecutionState::problem(const std::string& message) {
  ++problem_count_;
  if (problems_.size() < max_problems_)
    problems_.push_back(fmt::format("event {}: {}", events_, message));
}

void ExecutionState::note(const std::string& message) {
  if (std::find(notes_.begin(), notes_.end(), message) == notes_.end()) notes_.push_back(message);
}

}  // namespace raddle
