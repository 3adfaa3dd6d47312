#include "host/analysis/model/happens_before.hpp"

#include <algorithm>
#include <iterator>

#include "host/analysis/shadow/extent.hpp"
#include "protocol/semaphore_flags.hpp"

namespace raddle {
namespace {

bool acquires(MemoryOrder order) {
  return order == MemoryOrder::kConsume || order == MemoryOrder::kAcquire ||
         order == MemoryOrder::kAcqRel || order == MemoryOrder::kSeqCst ||
         order == MemoryOrder::kBarrier;
}

bool releases(MemoryOrder order) {
  return order == MemoryOrder::kRelease || order == MemoryOrder::kAcqRel ||
         order == MemoryOrder::kSeqCst || order == MemoryOrder::kBarrier;
}

bool loads(const Event& event) { return event.kind != EventKind::atomic_store; }

bool stores(const Event& event) {
  return event.kind == EventKind::atomic_store || event.kind == EventKind::atomic_update ||
         (event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0);
}

}  // namespace

HappensBefore::Thread& HappensBefore::begin(ThreadIndex thread) {
  if (thread >= threads_.size()) threads_.resize(thread + std::size_t{1});
  Thread& self = threads_[thread];
  if (self.slot == kNoSlot) {
    self.slot = slots_++;
    self.clock.set(self.slot, 1);
  }
  return self;
}

// What the thread does from here on is not released by this.
void HappensBefore::release_into(VectorClock& target, Thread& thread) {
  target.join(thread.clock);
  thread.clock.tick(thread.slot);
}

void HappensBefore::fork(ThreadIndex parent, ThreadIndex child) {
  if (child == parent) return;
  threads(parent);  // exists
  if (child >= threads_.size()) threads_.resize(child + std::size_t{1});
  Thread& born = threads_[child];
  if (born.slot == kNoSlot) {
    // The latest first: most likely the creator's own.
    const auto found = std::find_if(unused_.rbegin(), unused_.rend(),
                                    [&](Epoch last) { return threads_[parent].clock.knows(last); });
    if (found != unused_.rend()) {
      born.slot = found->thread();
      born.clock.set(born.slot, found->clock() + 1);
      unused_.erase(std::next(found).base());
    }
  }
  release_into(threads(child).clock, threads_[parent]);
}

void HappensBefore::join(ThreadIndex index, ThreadIndex child, bool ended) {
  if (child == index) return;
  threads(std::max(child, index));  // both exist
  threads(index).clock.join(threads(child).clock);
  if (!ended) return;
  unused_.push_back(epoch(child));
  threads_[child] = Thread{};
}

void HappensBefore::before(const Event& event) {
  const ThreadIndex index = state_.index(event.thread);
  switch (event.kind) {
    case EventKind::acquire: {
      if (!state_.outermost()) break;
      Object& lock = objects_.at(event.object);
      VectorClock& clock = threads(index).clock;
      clock.join(lock.writers);
      if (!state_.shared()) clock.join(lock.readers);
      break;
    }
    case EventKind::await:
      threads(index).clock.join(objects_.at(event.object).signals);
      // Its posts were releases, as long as it looked like a lock.
      if ((event.flags & kSemaphore) != 0)
        threads(index).clock.join(objects_.at(event.object).writers);
      break;
    case EventKind::wake:
      if (event.value == 0) threads(index).clock.join(objects_.at(event.object).signals);
      break;
    case EventKind::join: {
      if (event.value >= raw(kNoThread)) break;
      const ThreadId joined{static_cast<std::uint16_t>(event.value)};
      join(index, state_.index(joined), state_.ended(joined));
      break;
    }
    case EventKind::atomic_load:
    case EventKind::atomic_update:
    case EventKind::atomic_compare: {
      Thread& thread = threads(index);
      if (order_of(event) == MemoryOrder::kBarrier) thread.clock.join(thread.unfenced);
      VectorClock& met = acquires(order_of(event)) ? thread.clock : thread.unfenced;
      sequences_.find_all(extent_of(event),
                          [&](const VectorClock& sequence) { met.join(sequence); });
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

void HappensBefore::release_fence(Thread& thread) {
  thread.fence_released.clear();
  release_into(thread.fence_released, thread);
}

void HappensBefore::atomic_after(const Event& event) {
  const ThreadIndex index = state_.index(event.thread);
  Thread& thread = threads(index);
  if (order_of(event) == MemoryOrder::kBarrier) release_fence(thread);
  if (!stores(event)) return;
  const bool release = releases(order_of(event));
  const VectorClock& given = release ? thread.clock : thread.fence_released;
  sequences_.make_all(extent_of(event), [&](VectorClock& sequence) {
    if (!loads(event)) sequence.clear();  // a new store; a read-modify-write goes on with the old
    sequence.join(given);
  });
  // What the thread does from here on is not released by this.
  if (release) thread.clock.tick(thread.slot);
}

void HappensBefore::after(const Event& event) {
  const ThreadIndex index = state_.index(event.thread);
  switch (event.kind) {
    case EventKind::release: {
      if (!state_.outermost()) break;
      Object& lock = objects_.at(event.object);
      release_into(state_.shared() ? lock.readers : lock.writers, threads(index));
      break;
    }
    case EventKind::signal:
    case EventKind::notify:
      release_into(objects_.at(event.object).signals, threads(index));
      break;
    case EventKind::fork: {
      if (event.value >= raw(kNoThread)) break;
      fork(index, state_.index(ThreadId{static_cast<std::uint16_t>(event.value)}));
      break;
    }
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
      atomic_after(event);
      break;
    case EventKind::fence: {
      if (releases(order_of(event))) release_fence(threads(index));
      break;
    }
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
      objects_.forget(event.object, event.value);
      sequences_.forget(event.object, event.value);
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
