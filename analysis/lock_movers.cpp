#include "analysis/lock_movers.hpp"

namespace raddle {

bool LockMovers::acquire(const Event& event) {
  if (!refine_) return false;
  Lock& lock = locks_.at(event.object);
  const ThreadIndex thread = world_.index(event.thread);
  if (!lock.used) {
    lock.used = true;
    lock.owner = thread;
  } else if (lock.shared || lock.owner != thread) {
    // The lock itself is the innermost of those held.
    const LockSetId held = sets_.exclusive(world_.before(world_.held(event.thread)));
    lock.under = lock.shared ? sets_.intersect(lock.under, held) : held;
    lock.shared = true;
  }
  return uncontended(lock);
}

bool LockMovers::release(const Event& event) {
  return refine_ && uncontended(locks_.at(event.object));
}

}  // namespace raddle
