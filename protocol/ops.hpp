// The operations that a thread can be about to execute at a decision point, and the classes of
// objects they act on. One table each: a new operation is one line.
#pragma once

#include <cstdint>

namespace raddle {

// X(identifier, text shown to the user)
#define RADDLE_OPS(X)                   \
  X(none, "nothing")                    \
  X(thread_begin, "begin")              \
  X(thread_create, "create thread")     \
  X(thread_join, "join")                \
  X(thread_end, "end")                  \
  X(process_exit, "exit")               \
  X(mutex_lock, "lock")                 \
  X(mutex_trylock, "trylock")           \
  X(mutex_unlock, "unlock")             \
  X(rwlock_read, "read-lock")           \
  X(rwlock_tryread, "try-read-lock")    \
  X(rwlock_write, "write-lock")         \
  X(rwlock_trywrite, "try-write-lock")  \
  X(rwlock_unlock, "unlock")            \
  X(cond_wait, "wait")                  \
  X(cond_wake, "wake from wait")        \
  X(cond_signal, "signal")              \
  X(cond_broadcast, "broadcast")        \
  X(destroy, "destroy")                 \
  X(sem_wait, "sem_wait")               \
  X(sem_trywait, "sem_trywait")         \
  X(sem_post, "sem_post")               \
  X(barrier_wait, "barrier wait")       \
  X(spin_lock, "spin lock")             \
  X(spin_trylock, "spin trylock")       \
  X(spin_unlock, "spin unlock")         \
  X(once, "once")                       \
  X(futex_wait, "futex wait")           \
  X(futex_wake, "futex wake")           \
  X(sleep, "sleep")                     \
  X(yield, "yield")                     \
  X(spin, "spin without synchronising") \
  X(read, "read")                       \
  X(write, "write")                     \
  X(accept, "accept")                   \
  X(connect, "connect")                 \
  X(poll, "poll")                       \
  X(close, "close")                     \
  X(signal_wait, "sigwait")             \
  X(signal_send, "send signal")         \
  X(child_wait, "wait for child")       \
  X(cancel, "cancel")                   \
  X(value_choice, "choice")             \
  X(atomic_load, "atomic load")         \
  X(atomic_store, "atomic store")       \
  X(atomic_update, "atomic update")     \
  X(atomic_again, "atomic retry")       \
  X(fence, "fence")                     \
  X(memory_read, "read memory")         \
  X(memory_write, "write memory")       \
  X(memory_again, "read memory again")  \
  X(go_on, "go on")                     \
  X(monitor_event, "event")             \
  X(init, "initialise")                 \
  X(memory_free, "free memory")

enum class OpKind : std::uint8_t {
#define RADDLE_OP_ENUM(name, text) name,
  RADDLE_OPS(RADDLE_OP_ENUM)
#undef RADDLE_OP_ENUM
};

#define RADDLE_OP_COUNT(name, text) +1
inline constexpr int kOpKinds = 0 RADDLE_OPS(RADDLE_OP_COUNT);
#undef RADDLE_OP_COUNT

// Never null; "unknown operation" for a value outside the table (records come from files).
const char* op_text(OpKind op);

// X(identifier, noun shown to the user)
#define RADDLE_OBJECT_CLASSES(X) \
  X(none, "object")              \
  X(thread, "thread")            \
  X(mutex, "mutex")              \
  X(rwlock, "rwlock")            \
  X(cond, "condition variable")  \
  X(semaphore, "semaphore")      \
  X(barrier, "barrier")          \
  X(spinlock, "spinlock")        \
  X(once, "once flag")           \
  X(futex, "futex")              \
  X(descriptor, "descriptor")    \
  X(memory, "variable")          \
  X(events, "events")

enum class ObjectClass : std::uint8_t {
#define RADDLE_CLASS_ENUM(name, text) name,
  RADDLE_OBJECT_CLASSES(RADDLE_CLASS_ENUM)
#undef RADDLE_CLASS_ENUM
};

const char* object_class_text(ObjectClass cls);

// An operation that changes nothing for anybody else: a long run of nothing but these is a
// livelock.
constexpr bool is_idle_op(OpKind op) {
  return op == OpKind::yield || op == OpKind::spin || op == OpKind::atomic_again ||
         op == OpKind::memory_again;
}

}  // namespace raddle
