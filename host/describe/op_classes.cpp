#include "host/describe/op_classes.hpp"

#include <initializer_list>

namespace raddle {

ObjectClass class_of(OpKind op) {
  switch (op) {
    case OpKind::none:
    case OpKind::thread_begin:
    case OpKind::thread_end:
    case OpKind::process_exit:
    case OpKind::sleep:
    case OpKind::yield:
    case OpKind::spin:
    case OpKind::signal_wait:
    case OpKind::child_wait:
    case OpKind::fence:
    case OpKind::go_on:
    case OpKind::value_choice:
    case OpKind::init:  // of any class, as is destroy
    case OpKind::destroy:
      return ObjectClass::none;
    case OpKind::thread_create:
    case OpKind::thread_join:
    case OpKind::signal_send:
    case OpKind::cancel:
      return ObjectClass::thread;
    case OpKind::mutex_lock:
    case OpKind::mutex_trylock:
    case OpKind::mutex_unlock:
      return ObjectClass::mutex;
    case OpKind::rwlock_read:
    case OpKind::rwlock_tryread:
    case OpKind::rwlock_write:
    case OpKind::rwlock_trywrite:
    case OpKind::rwlock_unlock:
      return ObjectClass::rwlock;
    case OpKind::cond_wait:
    case OpKind::cond_wake:
    case OpKind::cond_signal:
    case OpKind::cond_broadcast:
      return ObjectClass::cond;
    case OpKind::sem_wait:
    case OpKind::sem_trywait:
    case OpKind::sem_post:
      return ObjectClass::semaphore;
    case OpKind::barrier_wait:
      return ObjectClass::barrier;
    case OpKind::spin_lock:
    case OpKind::spin_trylock:
    case OpKind::spin_unlock:
      return ObjectClass::spinlock;
    case OpKind::once:
      return ObjectClass::once;
    case OpKind::futex_wait:
    case OpKind::futex_wake:
      return ObjectClass::futex;
    case OpKind::monitor_event:
      return ObjectClass::events;
    case OpKind::read:
    case OpKind::write:
    case OpKind::accept:
    case OpKind::connect:
    case OpKind::poll:
    case OpKind::close:
      return ObjectClass::descriptor;
    case OpKind::atomic_load:
    case OpKind::atomic_store:
    case OpKind::atomic_update:
    case OpKind::atomic_again:
    case OpKind::memory_read:
    case OpKind::memory_again:
    case OpKind::memory_write:
    case OpKind::memory_free:
      return ObjectClass::memory;
  }
  return ObjectClass::none;
}

bool is_lock_op(OpKind op) {
  const ObjectClass cls = class_of(op);
  return cls == ObjectClass::mutex || cls == ObjectClass::rwlock || cls == ObjectClass::spinlock;
}

bool is_shown_by_event(const Event& decision) {
  const OpKind op = static_cast<OpKind>(decision.value & 0xff);
  // These may fail, or have no event.
  for (const OpKind alone :
       {OpKind::mutex_trylock, OpKind::rwlock_tryread, OpKind::rwlock_trywrite, OpKind::sem_trywait,
        OpKind::spin_trylock, OpKind::signal_send, OpKind::cancel}) {
    if (op == alone) return false;
  }
  for (const OpKind shown :
       {OpKind::none, OpKind::thread_begin, OpKind::thread_end, OpKind::fence}) {
    if (op == shown) return true;
  }
  const ObjectClass cls = class_of(op);
  return cls != ObjectClass::none && cls != ObjectClass::descriptor &&
         (decision.value >> 8 & 0xff) == 0;
}

}  // namespace raddle
