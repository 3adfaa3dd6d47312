// The happens-before order of an execution, as vector clocks that move with it: program order,
// locks, fork and join, signal and await, notify and wake, and atomic operations by their memory
// order. As in C++:
//   - the release of a lock happens before its later acquires, but a reader's release only before
//     the later writers';
//   - an acquire load that reads from a release sequence sees what its head released. A release
//     sequence is a store and the read-modify-writes on it; a store by anybody begins a new one.
//     Relaxed operations make no edge but together with fences: one after a release fence releases
//     what the fence saw, one before an acquire fence gives it to the fence. consume counts as
//     acquire. A full barrier is an operation with a fence of its own on either side. Operations of
//     different sizes synchronise by the bytes that they share: C++ leaves that undefined, but
//     libraries rely on it, and machines keep it;
//   - each notify happens before each later wake-up on the condition that was notified, not before
//     one that timed out or was spurious.
// An execution that was recorded here reads the last store, so "reads from" is "comes after".
//
// Threads have *slots* in the clocks, and a slot is used again, so that a clock is as long as there
// are threads at a time and not as long as there ever were: a program may create thousands, one
// after the other. A thread is joined once, and its clock is given up then; a later thread gets its
// slot if its creator knows all that the former one did, and goes on counting there. Whoever knows
// anything of the new one knows its creation, hence all of the old one: no answer changes.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/vector_clock.hpp"
#include "host/analysis/shadow/object_table.hpp"
#include "host/analysis/shadow/range_table.hpp"
#include "protocol/event.hpp"

namespace raddle {

class HappensBefore {
 public:
  explicit HappensBefore(const ExecutionState& state) : state_(state) {}

  // Of the thread, for its current event; an acquiring event's edges are in it. Valid until the
  // next call.
  const VectorClock& clock(ThreadIndex thread) { return threads(thread).clock; }
  // Its place in the clocks, for as long as it lives.
  ThreadIndex slot(ThreadIndex thread) { return threads(thread).slot; }
  // What it does now, as others may know it.
  Epoch epoch(ThreadIndex thread) {
    const Thread& self = threads(thread);
    return self.clock.epoch(self.slot);
  }
  std::size_t slots() const { return slots_; }  // used so far

  // In two halves, around what the event itself does to memory: an atomic operation acquires before
  // it accesses and releases after.
  void before(const Event& event);
  void after(const Event& event);

 private:
  static constexpr ThreadIndex kNoSlot = ~ThreadIndex{0};
  struct Thread {
    ThreadIndex slot = kNoSlot;
    VectorClock clock;
    VectorClock fence_released;  // what a relaxed store gives on, since a release fence
    VectorClock unfenced;        // what relaxed loads met, for an acquire fence
  };
  struct Object {
    VectorClock writers;  // lock: released by those who held it exclusively
    VectorClock readers;
    VectorClock signals;  // also notifies
  };

  Thread& threads(ThreadIndex thread) {
    const bool known = thread < threads_.size() && threads_[thread].slot != kNoSlot;
    return known ? threads_[thread] : begin(thread);
  }
  Thread& begin(ThreadIndex thread);
  static void release_into(VectorClock& target, Thread& thread);
  static void release_fence(Thread& thread);
  void fork(ThreadIndex parent, ThreadIndex child);
  void join(ThreadIndex index, ThreadIndex child, bool ended);
  void atomic_after(const Event& event);

  const ExecutionState& state_;
  std::vector<Thread> threads_;  // by ThreadIndex
  std::vector<Epoch> unused_;    // slots of joined threads, with the last of what they did
  ThreadIndex slots_ = 0;
  ObjectTable<Object> objects_;
  // What the release sequence of each byte of an atomic gives to whoever acquires.
  RangeTable<VectorClock> sequences_;
};

}  // namespace raddle
