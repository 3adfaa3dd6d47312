#include "target/sched/telling.hpp"

#include "target/sched/decision_state.hpp"
#include "target/sched/scheduler.hpp"
#include "target/strategy/holding.hpp"
#include "target/unwind/atomic_blocks.hpp"

namespace raddle {

bool g_locks_matter;

namespace {

// Object::value2 of a semaphore: nobody holds it; it is no lock; else the holder's id, plus 1.
constexpr std::int64_t kFree = 0;
constexpr std::int64_t kNoLock = -1;

bool involves_others(OpKind op) {
  return op == OpKind::thread_create || op == OpKind::thread_join || op == OpKind::cond_wait ||
         op == OpKind::sem_wait || op == OpKind::barrier_wait || op == OpKind::futex_wait;
}

}  // namespace

void tell_place(Thread& t, OpKind op, Object* object) {
  Place place{t.scope_context, false};
  if ((plan().atomic_blocks & kBlocksFrames) != 0) {
    const bool as_lock = op == OpKind::sem_wait && object != nullptr && is_lock_so_far(*object);
    if ((is_acquisition(op) || as_lock) && object != nullptr) {
      place.again = takes_lock_again(t, *object);
    } else if (op == OpKind::cond_wake) {
      note_condition_wake(t);
    } else if (involves_others(op)) {
      note_wait_for_others(t);
    }
  }
  g_strategy->on_place(t.pending.thread, place);
}

void tell_lock(const Object& lock, bool taken) {
  g_strategy->on_lock(g_current->pending.thread, lock.id, taken);
  g_locks_matter = g_strategy->hears_of_locks();
}

bool is_lock_so_far(const Object& semaphore) {
  return semaphore.value2 != kNoLock && semaphore.value <= 1;
}

void tell_semaphore(Object& semaphore, bool waited, int value) {
  if (semaphore.value2 == kNoLock) return;
  const std::int64_t self = raw(g_current->pending.thread) + std::int64_t{1};
  const bool fits =
      waited ? semaphore.value2 == kFree && value == 0 : semaphore.value2 == self && value == 1;
  if (fits) {
    semaphore.value2 = waited ? self : kFree;
    lock_changed(semaphore, waited);
    return;
  }
  // Who was taken for its holder gives it up.
  if (semaphore.value2 != kFree && g_locks_matter)
    g_strategy->on_lock(ThreadId{static_cast<std::uint16_t>(semaphore.value2 - 1)}, semaphore.id,
                        false);
  semaphore.value2 = kNoLock;
}

void block_changed(bool entered) { g_strategy->on_block(g_current->pending.thread, entered); }

}  // namespace raddle
