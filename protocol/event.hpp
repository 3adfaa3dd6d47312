// What a program did, one event at a time, in the order of execution: what detectors, active
// testers and `raddle trace` consume. The same whether it comes live out of the target
// (campaign/, through protocol/stream.hpp) or out of a trace file (host/trace/trace_reader.hpp).
//
// Only one program thread runs at a time, so the order of the events is total and real.
#pragma once

#include <cstdint>

#include "protocol/ids.hpp"

namespace raddle {

// X(identifier, text, what `object`, `value` and `value2` are). Numbers are part of the trace
// format and of the sites that the compiler pass writes: a new kind goes to the end.
#define RADDLE_EVENTS(X)                                                                           \
  X(none, "nothing")                                                                               \
  /* A step of the choice log. object: ObjectId; value: OpKind | outcome << 8. The event's thread  \
     is the one that was chosen; the events that follow are its own. */                            \
  X(decision, "decision")                                                                          \
  /* object: start routine, which is also the site. */                                             \
  X(thread_begin, "begin")                                                                         \
  X(thread_end, "end")                                                                             \
  /* value: ThreadId of the child, of the joined thread. */                                        \
  X(fork, "fork")                                                                                  \
  X(join, "join")                                                                                  \
  /* Locks of all kinds. object: lock; value: depth after it (acquire: 1 is the outermost;         \
     release: 0 is the outermost). Flags: kShared, kByWait, kTry. A failed trylock is no event. */ \
  X(acquire, "acquire")                                                                            \
  X(release, "release")                                                                            \
  /* object: condition; value: its lock. Then the lock's release, with kByWait. */                 \
  X(wait, "wait")                                                                                  \
  /* object: condition; value: 0 notified, 1 timed out, 2 spurious or cancelled. Then the lock's   \
     acquire, with kByWait. */                                                                     \
  X(wake, "wake")                                                                                  \
  /* object: condition; value: how many waiters it woke. Flag kAll: broadcast. */                  \
  X(notify, "notify")                                                                              \
  /* Order through something that is neither lock nor condition: semaphores, barriers, once        \
     flags, futexes. Each signal on an object happens before each later await on it. */            \
  X(signal, "signal")                                                                              \
  X(await, "await")                                                                                \
  /* Plain memory. object: address; value: what was read or is written, up to 8 bytes. An access   \
     of more than 8 bytes is one event for each 8. */                                              \
  X(read, "read")                                                                                  \
  X(write, "write")                                                                                \
  /* memcpy and kin. value: bytes. */                                                              \
  X(read_range, "read range")                                                                      \
  X(write_range, "write range")                                                                    \
  /* object: address; value: read; value2: written. Flags: order, kSuccess for a compare that      \
     exchanged. */                                                                                 \
  X(atomic_load, "atomic load")                                                                    \
  X(atomic_store, "atomic store")                                                                  \
  X(atomic_update, "atomic update")                                                                \
  X(atomic_compare, "atomic compare-exchange")                                                     \
  X(fence, "fence")                                                                                \
  /* A function, its site says which and whether it is a unit of work. object: `this`, or 0. */    \
  X(enter, "enter")                                                                                \
  X(exit, "exit")                                                                                  \
  /* Annotated scopes: atomic blocks and units of work. object: what the unit is declared on. */   \
  X(block_enter, "atomic block enter")                                                             \
  X(block_exit, "atomic block exit")                                                               \
  X(unit_enter, "unit enter")                                                                      \
  X(unit_exit, "unit exit")                                                                        \
  /* Heap. object: address; value: bytes. */                                                       \
  X(allocate, "allocate")                                                                          \
  X(free, "free")                                                                                  \
  /* A local variable that others may see comes to life; it dies with its function's exit.         \
     object: address; value: bytes. */                                                             \
  X(local, "local")                                                                                \
  /* raddle::event(name, value). The site's field is the name. */                                  \
  X(user, "event")                                                                                 \
  /* A synchronisation object is destroyed, or its memory is given up. */                          \
  X(destroy, "destroy")

enum class EventKind : std::uint8_t {
#define RADDLE_EVENT_ENUM(name, text) name,
  RADDLE_EVENTS(RADDLE_EVENT_ENUM)
#undef RADDLE_EVENT_ENUM
};

#define RADDLE_EVENT_COUNT(name, text) +1
inline constexpr int kEventKinds = 0 RADDLE_EVENTS(RADDLE_EVENT_COUNT);
#undef RADDLE_EVENT_COUNT

// Never null; "unknown event" for a value outside the table.
const char* event_text(EventKind kind);

// Event::flags. The first three bits are the memory order of an atomic operation. kBarrier: of an
// instruction that is a full fence as well (x86's lock prefix, in inline assembly).
enum class MemoryOrder : std::uint8_t {
  kRelaxed,
  kConsume,
  kAcquire,
  kRelease,
  kAcqRel,
  kSeqCst,
  kBarrier
};
inline constexpr std::uint8_t kOrderMask = 7;
inline constexpr std::uint8_t kTry = 4;        // acquire: by a trylock, which never waits
inline constexpr std::uint8_t kSuccess = 8;    // atomic_compare
inline constexpr std::uint8_t kShared = 16;    // acquire, release: for reading
inline constexpr std::uint8_t kByWait = 32;    // acquire, release: as part of a condition wait
inline constexpr std::uint8_t kAll = 64;       // notify
inline constexpr std::uint8_t kNoValue = 128;  // read, write: the value is not known
inline constexpr std::uint8_t kCallback = 8;   // enter: called by code that has no hooks

// Index into the trace's table of sites (host/symbols/site.hpp). 0: not known.
enum class SiteId : std::uint32_t {};
inline constexpr SiteId kNoSite{0};
constexpr std::uint32_t raw(SiteId id) { return static_cast<std::uint32_t>(id); }

struct Event {
  EventKind kind;
  std::uint8_t flags;
  std::uint16_t size;  // bytes of a read, write or atomic operation
  ThreadId thread;
  SiteId site;
  std::uint64_t step;    // decisions before it
  std::uint64_t object;  // an address of this execution, except for `decision`
  std::uint64_t value;
  std::uint64_t value2;
  // Hash of the functions that the thread is in, and of where each was called: equal in every
  // execution of the same build for the same stack (002 uses MD5 of the stack for this).
  std::uint64_t context;
};

constexpr bool is_access(EventKind kind) {
  return kind >= EventKind::read && kind <= EventKind::write_range;
}
constexpr bool is_atomic(EventKind kind) {
  return kind >= EventKind::atomic_load && kind <= EventKind::fence;
}
constexpr MemoryOrder order_of(const Event& event) {
  return static_cast<MemoryOrder>(event.flags & kOrderMask);
}

}  // namespace raddle
