// How an operation uses its object, for feedback about who saw what. One vocabulary for memory and
// synchronisation. An operation *reads* an object if what comes next depends on what was done to it
// before: a load, the taking of a lock, a wait. It *writes* an object if it leaves something there:
// a store, the release of a lock, a signal. It *claims* an object if it leads to a write: who takes
// a lock releases it.
#pragma once

#include <cstdint>

#include "protocol/ops.hpp"

namespace raddle {

inline constexpr std::uint8_t kReadsObject = 1;
inline constexpr std::uint8_t kWritesObject = 2;
inline constexpr std::uint8_t kClaimsObject = 4;

// kReadsObject, ...; 0 if it is none of these.
constexpr std::uint8_t uses_of(OpKind op) {
  switch (op) {
    case OpKind::atomic_load:
    case OpKind::memory_read:
      return kReadsObject;
    case OpKind::atomic_store:
    case OpKind::memory_write:
    case OpKind::destroy:
    case OpKind::init:
    case OpKind::memory_free:
      return kWritesObject | kClaimsObject;
    case OpKind::atomic_update:
    case OpKind::once:
      return kReadsObject | kWritesObject | kClaimsObject;
    case OpKind::mutex_lock:
    case OpKind::mutex_trylock:
    case OpKind::rwlock_write:
    case OpKind::rwlock_trywrite:
    case OpKind::rwlock_read:
    case OpKind::rwlock_tryread:
    case OpKind::spin_lock:
    case OpKind::spin_trylock:
    case OpKind::sem_wait:
    case OpKind::sem_trywait:
      return kReadsObject | kClaimsObject;
    case OpKind::mutex_unlock:
    case OpKind::rwlock_unlock:
    case OpKind::spin_unlock:
    case OpKind::sem_post:
      return kWritesObject;
    case OpKind::cond_wait:
    case OpKind::futex_wait:
      return kReadsObject;
    case OpKind::cond_signal:
    case OpKind::cond_broadcast:
    case OpKind::futex_wake:
      return kWritesObject | kClaimsObject;
    // A wake-up comes from the signal that was, a barrier from all who arrived: no choice is left.
    case OpKind::cond_wake:
    case OpKind::barrier_wait:
    case OpKind::none:
    case OpKind::thread_begin:
    case OpKind::thread_create:
    case OpKind::thread_join:
    case OpKind::thread_end:
    case OpKind::process_exit:
    case OpKind::sleep:
    case OpKind::yield:
    case OpKind::spin:
    case OpKind::read:
    case OpKind::write:
    case OpKind::accept:
    case OpKind::connect:
    case OpKind::poll:
    case OpKind::close:
    case OpKind::signal_wait:
    case OpKind::signal_send:
    case OpKind::child_wait:
    case OpKind::cancel:
    case OpKind::value_choice:
    case OpKind::atomic_again:
    case OpKind::fence:
    case OpKind::memory_again:
    case OpKind::go_on:
    case OpKind::monitor_event:
      return 0;
  }
  return 0;
}

}  // namespace raddle
