// The happens-before order of an execution, as vector clocks that move with it: program order,
// locks, fork and join, signal and await, notify and wake, and atomic operations by their memory
// order. As in C++:
//   - the release of a lock happens before its later acquires, but a reader's release only before
//     the later writers';
//   - an acquire load that reads from a release sequence sees what its head released. A release
//     sequence is a store and the read-modify-writes on it; a store by anybody begins a new one.
//     Relaxed operations make no edge but together with fences: one after a release fence releases
//     what the fence saw, one before an acquire fence gives it to the fence. consume counts as
//     acquire;
//   - each notify happens before each later wake-up on the condition that was notified, not before
//     one that timed out or was spurious.
// A thread is joined once: its clock is given up then.
// An execution that was recorded here reads the last store, so "reads from" is "comes after".
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/shadow/object_table.hpp"
#include "analysis/vector_clock.hpp"
#include "analysis/world.hpp"
#include "trace/event.hpp"

namespace raddle {

class HappensBefore {
 public:
  explicit HappensBefore(const World& world) : world_(world) {}

  // Of the thread, for its current event; an acquiring event's edges are in it. Valid until the
  // next call.
  const VectorClock& clock(ThreadIndex thread) { return threads(thread).clock; }

  // In two halves, around what the event itself does to memory: an atomic operation acquires before
  // it accesses and releases after.
  void before(const Event& event);
  void after(const Event& event);

 private:
  struct Thread {
    VectorClock clock;
    VectorClock fence_released;  // what a relaxed store gives on, since a release fence
    VectorClock unfenced;        // what relaxed loads met, for an acquire fence
  };
  struct Object {
    VectorClock writers;  // lock: released by those who held it exclusively
    VectorClock readers;
    VectorClock signals;   // also notifies
    VectorClock sequence;  // atomic: what its release sequence gives to whoever acquires
  };

  Thread& threads(ThreadIndex thread);
  void release_into(VectorClock& target, Thread& thread, ThreadIndex index);
  void atomic_after(const Event& event);

  const World& world_;
  std::vector<Thread> threads_;  // by ThreadIndex
  ObjectTable<Object> objects_;
};

}  // namespace raddle
