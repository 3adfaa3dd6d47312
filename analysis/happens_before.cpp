#include "analysis/happens_before.hpp"

#include "analysis/shadow/extent.hpp"

namespace raddle {
namespace {

bool acquires(MemoryOrder order) {
  return order == MemoryOrder::kConsume || order == MemoryOrder::kAcquire ||
         order == MemoryOrder::kAcqRel || order == MemoryOrder::kSeqCst;
}

bool releases(MemoryOrder order) {
  return order == MemoryOrder::kRelease || order == MemoryOrder::kAcqRel ||
         order == MemoryOrder::kSeqCst;
}

bool loads(const Event& event) { return event.kind != EventKind::atomic_store; }

bool stores(const Event& event) {
  return event.kind == EventKind::atomic_store || event.kind == EventKind::atomic_update ||
         (event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0);
}

}  // namespace

HappensBefore::Thread& HappensBefore::threads(ThreadIndex thread) {
  while (thread >= threads_.size()) {
    threads_.emplace_back();
    threads_.back().clock.set(static_cast<ThreadIndex>(threads_.size() - 1), 1);
  }
  return threads_[thread];
}

// What the thread does from here on is not released by this.
void HappensBefore::release_into(VectorClock& target, Thread& thread, ThreadIndex index) {
  target.join(thread.clock);
  thread.clock.tick(index);
}

void HappensBefore::before(const Event& event) {
  const ThreadIndex index = world_.index(event.thread);
  switch (event.kind) {
    case EventKind::acquire: {
      if (!world_.outermost()) break;
      Object& lock = objects_.at(event.object);
      VectorClock& clock = threads(index).clock;
      clock.join(lock.writers);
      if (!world_.shared()) clock.join(lock.readers);
      break;
    }
    case EventKind::await:
      threads(index).clock.join(objects_.at(event.object).signals);
      break;
    case EventKind::wake:
      if (event.value == 0) threads(index).clock.join(objects_.at(event.object).signals);
      break;
    case EventKind::join: {
      if (event.value >= raw(kNoThread)) break;
      const ThreadId joined{static_cast<std::uint16_t>(event.value)};
      const ThreadIndex child = world_.index(joined);
      if (child == index) break;
      threads(std::max(child, index));  // both exist
      threads_[index].clock.join(threads_[child].clock);
      // Nobody asks for it any more; thousands of short threads would keep a clock each.
      if (world_.ended(joined)) threads_[child] = Thread{};
      break;
    }
    case EventKind::atomic_load:
    case EventKind::atomic_update:
    case EventKind::atomic_compare: {
      Thread& thread = threads(index);
      const VectorClock& sequence = objects_.at(event.object).sequence;
      if (sequence.empty()) break;
      if (acquires(order_of(event)))
        thread.clock.join(sequence);
      else
        thread.unfenced.join(sequence);
      break;
    }
    case EventKind::fence: {
      Thread& thread = threads(index);
      if (acquires(order_of(event))) thread.clock.join(thread.unfenced);
      break;
    }
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::fork:
    case EventKind::release:
    case EventKind::wait:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::read:
    case EventKind::write:
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::atomic_store:
    case EventKind::enter:
    case EventKind::exit:
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

void HappensBefore::atomic_after(const Event& event) {
  if (!stores(event)) return;
  const ThreadIndex index = world_.index(event.thread);
  Thread& thread = threads(index);
  VectorClock& sequence = objects_.at(event.object).sequence;
  if (!loads(event)) sequence.clear();  // a new store; a read-modify-write goes on with the old
  if (releases(order_of(event)))
    release_into(sequence, thread, index);
  else
    sequence.join(thread.fence_released);
}

void HappensBefore::after(const Event& event) {
  const ThreadIndex index = world_.index(event.thread);
  switch (event.kind) {
    case EventKind::release: {
      if (!world_.outermost()) break;
      Object& lock = objects_.at(event.object);
      release_into(world_.shared() ? lock.readers : lock.writers, threads(index), index);
      break;
    }
    case EventKind::signal:
    case EventKind::notify:
      release_into(objects_.at(event.object).signals, threads(index), index);
      break;
    case EventKind::fork: {
      if (event.value >= raw(kNoThread)) break;
      const ThreadIndex child = world_.index(ThreadId{static_cast<std::uint16_t>(event.value)});
      if (child == index) break;
      threads(std::max(child, index));
      release_into(threads_[child].clock, threads_[index], index);
      break;
    }
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
      atomic_after(event);
      break;
    case EventKind::fence: {
      if (!releases(order_of(event))) break;
      Thread& thread = threads(index);
      thread.fence_released.clear();
      release_into(thread.fence_released, thread, index);
      break;
    }
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
      objects_.forget(event.object, event.value);
      break;
    case EventKind::destroy:
      objects_.forget(event.object, 1);
      break;
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::join:
    case EventKind::acquire:
    case EventKind::wait:
    case EventKind::wake:
    case EventKind::await:
    case EventKind::read:
    case EventKind::write:
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::atomic_load:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::user:
      break;
  }
}

}  // namespace raddle
