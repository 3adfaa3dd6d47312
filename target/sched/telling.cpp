#include "target/sched/telling.hpp"

#include "target/sched/decision_state.hpp"
#include "target/sched/scheduler.hpp"
#include "target/strategy/holding.hpp"
#include "target/unwind/atomic_blocks.hpp"

namespace raddle {

bool g_locks_matter;

namespace {

bool involves_others(OpKind op) {
  return op == OpKind::thread_create || op == OpKind::thread_join || op == OpKind::cond_wait ||
         op == OpKind::sem_wait || op == OpKind::barrier_wait || op == OpKind::futex_wait;
}

}  // namespace

void tell_place(Thread& t, OpKind op, Object* object) {
  Place place{t.scope_context, false};
  if ((plan().atomic_blocks & kBlocksFrames) != 0) {
    if (is_acquisition(op) && object != nullptr) {
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

void block_changed(bool entered) { g_strategy->on_block(g_current->pending.thread, entered); }

}  // namespace raddle
