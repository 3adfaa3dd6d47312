#include "host/analysis/atomizer/lock_movers.hpp"

#include <utility>

namespace raddle {

bool LockMovers::use(Lock& lock, ThreadIndex thread) {
  const Epoch now = order_.epoch(thread);
  const VectorClock& clock = order_.clock(thread);
  if (lock.life != 0 && !lock.shared && lock.owner == thread) {
    lock.used = now;
    return true;
  }
  const bool handed_over =
      lock.life == 0 || (lock.shared ? lock.users.use(now, clock) : clock.knows(lock.used));
  if (handed_over) {
    lock = Lock{};
    lock.life = ++lives_;
    lock.owner = thread;
    lock.used = now;
    return true;
  }
  if (!lock.shared) {
    lock.shared = true;
    lock.under = kAllLocks;
    lock.users.use(lock.used, VectorClock{});
    lock.users.use(now, clock);
  }
  return false;
}

LockMovers::Judgement LockMovers::acquire(const Event& event) {
  if (!refine_) return {};
  Lock& lock = locks_.at(event.object);
  const bool was_uncontended = uncontended(lock);
  if (!use(lock, state_.index(event.thread))) {
    // The lock itself is the innermost of those held.
    const HeldId others = state_.before(state_.held(event.thread));
    lock.under = sets_.intersect(lock.under, sets_.exclusive(others));
  }
  const bool both = uncontended(lock);
  return {both, was_uncontended && !both, lock.life};
}

LockMovers::Judgement LockMovers::release(const Event& event) {
  if (!refine_) return {};
  Lock& lock = locks_.at(event.object);
  use(lock, state_.index(event.thread));
  return {uncontended(lock), false, lock.life};
}

bool LockMovers::remember(std::uint64_t address, const Remembered& window) {
  Lock& lock = locks_.at(address);
  if (lock.life != window.window.life || !uncontended(lock)) return true;
  for (Remembered& old : lock.windows) {
    if (old.block.place != window.block.place) continue;
    ++old.times;
    return true;
  }
  if (lock.windows.size() >= kMostWindows) return false;
  lock.windows.push_back(window);
  return true;
}

std::vector<LockMovers::Remembered> LockMovers::take_windows(std::uint64_t lock) {
  return std::exchange(locks_.at(lock).windows, {});
}

}  // namespace raddle
