// Test helper: which atomic blocks of an execution are not reducible, by definition, with all of
// the execution in view. Written from the papers (001 section 2.2, 000 sections 2.2 and 5.4), not
// from the detector.
//
// Each operation of a thread moves:
//
//   acquire, outermost               right     fork                      left
//   release, outermost               left      join                      right
//   post of a semaphore              left      wait for a semaphore      right
//   access, by the caller's word     both, or not at all
//
// A block is reducible if its thread's operations, from its beginning to its end, are right and
// both movers, then at most one that does not move, then left and both movers.
//
// An operation on a lock moves both ways if it can never stand next to an operation of another
// thread on that lock that it does not commute with: if each of those
//   - is ordered with it whoever gets a lock first: by fork, join, notify, a flag, ... (000, 5.4,
//     the first reason: what main does before it creates threads); or
//   - is executed under a lock that is held here, too, not for reading by both (5.4, the second
//     reason); or
//   - is for reading, as this one is.
// A wait on a condition releases and acquires, and moves as these do, however few use the lock.
//
// A semaphore is a lock as long as it has been used as one: it never counts more than 1, a thread
// that posts it is the one that waited for it last. Its operations are then acquire and release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "host/analysis/testing/order_oracle.hpp"
#include "protocol/event.hpp"
#include "protocol/semaphore_flags.hpp"

namespace raddle {

enum class Mover { kBoth, kRight, kLeft, kNone };

class ReductionOracle {
 public:
  // `access`: how the access with that index moves.
  ReductionOracle(std::vector<Event> events, std::function<Mover(std::size_t)> access)
      : events_(semaphores_as_locks(std::move(events))),
        order_(events_, false),
        access_(std::move(access)) {
    std::map<ThreadId, Held> held;
    for (const Event& event : events_) {
      // What was a lock, and turns out to be none, nobody holds.
      if (is_semaphore(event))
        for (auto& [thread, locks] : held) locks.erase(event.object);
      Held& mine = held[event.thread];
      const bool outermost = is_outermost(event);
      if (outermost && event.kind == EventKind::release) mine.erase(event.object);
      held_.push_back(mine);
      if (outermost && event.kind == EventKind::acquire)
        mine[event.object] = (event.flags & kShared) != 0;
    }
  }

  // The steps (indices) at which blocks begin that are not reducible.
  std::set<std::size_t> violated() const {
    std::set<std::size_t> found;
    for (std::size_t i = 0; i < events_.size(); ++i)
      if (events_[i].kind == EventKind::block_enter && !reducible(i)) found.insert(i);
    return found;
  }

  Mover mover(std::size_t i) const {
    const Event& event = events_[i];
    switch (event.kind) {
      case EventKind::fork:
        return Mover::kLeft;
      case EventKind::join:
        return Mover::kRight;
      case EventKind::signal:
        return is_semaphore(event) ? Mover::kLeft : Mover::kBoth;
      case EventKind::await:
        return is_semaphore(event) ? Mover::kRight : Mover::kBoth;
      case EventKind::acquire:
        return is_outermost(event) && !alone(i) ? Mover::kRight : Mover::kBoth;
      case EventKind::release:
        return is_outermost(event) && !alone(i) ? Mover::kLeft : Mover::kBoth;
      default:
        return is_access(event.kind) || is_atomic(event.kind) ? access_(i) : Mover::kBoth;
    }
  }

  // The same execution with the semaphores that are locks as locks.
  const std::vector<Event>& events() const { return events_; }

 private:
  using Held = std::map<std::uint64_t, bool>;  // lock -> for reading

  static bool is_semaphore(const Event& event) {
    return (event.kind == EventKind::signal || event.kind == EventKind::await) &&
           (event.flags & kSemaphore) != 0;
  }
  static bool is_lock(const Event& event) {
    return event.kind == EventKind::acquire || event.kind == EventKind::release;
  }
  static bool is_outermost(const Event& event) {
    return is_lock(event) && event.value == (event.kind == EventKind::acquire ? 1 : 0);
  }

  static std::vector<Event> semaphores_as_locks(std::vector<Event> events) {
    struct Semaphore {
      bool is_lock = true, held = false;
      ThreadId holder{};
    };
    std::map<std::uint64_t, Semaphore> semaphores;
    for (Event& event : events) {
      const bool waits = event.kind == EventKind::await;
      if (!is_semaphore(event)) continue;
      Semaphore& semaphore = semaphores[event.object];
      if (waits)
        semaphore.is_lock = semaphore.is_lock && !semaphore.held && event.value == 0;
      else
        semaphore.is_lock = semaphore.is_lock && semaphore.held &&
                            semaphore.holder == event.thread && event.value == 1;
      if (!semaphore.is_lock) continue;
      semaphore.held = waits;
      semaphore.holder = event.thread;
      event.kind = waits ? EventKind::acquire : EventKind::release;
      event.value = waits ? 1 : 0;
      event.flags = 0;
    }
    return events;
  }

  // No operation of another thread on the lock can come next to this one and matter.
  bool alone(std::size_t i) const {
    const Event& mine = events_[i];
    if ((mine.flags & kByWait) != 0) return false;
    for (std::size_t j = 0; j < events_.size(); ++j) {
      const Event& other = events_[j];
      if (!is_outermost(other) || other.object != mine.object || other.thread == mine.thread)
        continue;
      if (order_.before(i, j) || order_.before(j, i)) continue;
      if ((mine.flags & kShared) != 0 && (other.flags & kShared) != 0) continue;
      if (!guarded(held_[i], held_[j], mine.object)) return false;
    }
    return true;
  }

  static bool guarded(const Held& mine, const Held& others, std::uint64_t lock) {
    for (const auto& [other, reading] : others) {
      const auto found = mine.find(other);
      if (other != lock && found != mine.end() && !(reading && found->second)) return true;
    }
    return false;
  }

  bool reducible(std::size_t begin) const {
    bool committed = false;
    int depth = 0;
    for (std::size_t i = begin; i < events_.size(); ++i) {
      const Event& event = events_[i];
      if (event.thread != events_[begin].thread) continue;
      if (event.kind == EventKind::block_enter) ++depth;
      if (event.kind == EventKind::block_exit && --depth == 0) break;
      const Mover moves = mover(i);
      if (committed && (moves == Mover::kRight || moves == Mover::kNone)) return false;
      committed = committed || moves == Mover::kLeft || moves == Mover::kNone;
    }
    return true;
  }

  std::vector<Event> events_;
  OrderOracle order_;
  std::function<Mover(std::size_t)> access_;
  std::vector<Held> held_;  // before each event; at a release without the lock itself
};

}  // namespace raddle
