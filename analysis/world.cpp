#include "analysis/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace raddle {

std::uint64_t World::Point::hash() const {
  const std::uint64_t a = raw(site) | std::uint64_t(raw(stack)) << 32;
  const std::uint64_t b = raw(held) | std::uint64_t(raw(thread)) << 32 | std::uint64_t(kind) << 48 |
                          std::uint64_t(flags) << 56;
  return mix(mix(a, b), context + size);
}

World::World(Namer namer, std::size_t max_problems)
    : namer_(std::move(namer)), max_problems_(max_problems) {
  sites_.emplace_back();
  stable_.push_back(0);
  frames_(Frame{});  // number 0 of each is "none"
  depths_.push_back(0);
  held_(HeldList{});
  points_(Point{});
}

void World::define_site(SiteId id, const Site& site) {
  // Ids count up without gaps: anything else is a stream that must not make us allocate for it.
  if (raw(id) > sites_.size()) {
    problem(fmt::format("site {} is defined before site {}", raw(id), sites_.size()));
    return;
  }
  if (raw(id) == sites_.size()) {
    sites_.emplace_back();
    stable_.push_back(0);
  }
  sites_[raw(id)] = site;
  stable_[raw(id)] = site.stable != 0 ? site.stable : stable_hash(site);
}

void World::define_thread(ThreadId id, const std::string& name) {
  if (raw(id) >= threads_.size()) threads_.resize(raw(id) + 1);
  threads_[raw(id)].name = name;
}

void World::begin_life(Thread& thread, ThreadId id) {
  std::string name = std::move(thread.name);
  thread = Thread{};
  thread.name = std::move(name);
  thread.index = static_cast<ThreadIndex>(ids_.size());
  ids_.push_back(id);
}

// The thread of an event. One that nobody created is a problem once, and taken as running.
World::Thread& World::running(const Event& event) {
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

void World::on_event(const Event& event) {
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
    case EventKind::enter: {
      thread.stack = StackId{frames_(Frame{thread.stack, event.site})};
      if (raw(thread.stack) == depths_.size())
        depths_.push_back(depths_[raw(frames_[raw(thread.stack)].caller)] + 1);
      break;
    }
    case EventKind::exit:
      if (thread.stack == kEmptyStack)
        problem(fmt::format("T{} leaves a function that it did not enter", raw(event.thread)));
      else
        thread.stack = frames_[raw(thread.stack)].caller;
      break;
    case EventKind::fork: {
      if (event.value >= raw(kNoThread)) {
        problem(
            fmt::format("T{} creates a thread with the number {}", raw(event.thread), event.value));
        break;
      }
      const ThreadId child{static_cast<std::uint16_t>(event.value)};
      if (raw(child) >= threads_.size()) threads_.resize(raw(child) + 1);
      Thread& born = threads_[raw(child)];
      if (born.life == Life::kRunning || born.life == Life::kCreated) {
        problem(fmt::format("T{} creates T{}, which exists", raw(event.thread), raw(child)));
        break;
      }
      begin_life(born, child);
      born.life = Life::kCreated;
      break;
    }
    case EventKind::join: {
      if (event.value >= threads_.size() || threads_[event.value].life == Life::kUnknown) {
        problem(
            fmt::format("T{} joins T{}, which was never created", raw(event.thread), event.value));
        break;
      }
      break;
    }
    case EventKind::thread_end:
      thread.life = Life::kEnded;
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
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
    case EventKind::user:
    case EventKind::destroy:
      break;
  }
}

// Recursion is counted here rather than taken from the event: a stream that is wrong about it
// stays consistent in itself.
void World::acquire(Thread& thread, const Event& event) {
  for (std::size_t i = 0; i < thread.locks.size(); ++i) {
    if (thread.locks[i].lock == event.object) {
      ++thread.recursion[i];
      return;
    }
  }
  const HeldLock lock{event.object, (event.flags & kShared) != 0};
  thread.locks.push_back(lock);
  thread.recursion.push_back(1);
  thread.held = HeldId{held_(HeldList{thread.held, lock})};
  outermost_ = true;
}

void World::release(Thread& thread, const Event& event) {
  std::size_t i = thread.locks.size();
  while (i > 0 && thread.locks[i - 1].lock != event.object) --i;
  if (i == 0) {
    problem(fmt::format("T{} releases {}, which it does not hold", raw(event.thread),
                        name(event.object)));
    return;
  }
  if (--thread.recursion[--i] > 0) return;
  thread.locks.erase(thread.locks.begin() + static_cast<std::ptrdiff_t>(i));
  thread.recursion.erase(thread.recursion.begin() + static_cast<std::ptrdiff_t>(i));
  if (i == thread.locks.size()) {
    thread.held = held_[raw(thread.held)].before;
  } else {
    thread.held = kNothingHeld;
    for (const HeldLock& lock : thread.locks)
      thread.held = HeldId{held_(HeldList{thread.held, lock})};
  }
  outermost_ = true;
}

PointId World::point(const Event& event) {
  Thread& thread = threads_[raw(event.thread)];
  const Point point{event.kind, event.flags,  event.size,  event.thread,
                    event.site, thread.stack, thread.held, event.context};
  if (thread.last_id == kNoPoint || !(point == thread.last)) {
    thread.last = point;
    thread.last_id = PointId{points_(point)};
  }
  return thread.last_id;
}

void World::problem(const std::string& message) {
  ++problem_count_;
  if (problems_.size() < max_problems_)
    problems_.push_back(fmt::format("event {}: {}", events_, message));
}

}  // namespace raddle
