// What a thread is about to do, as strategies and explorers see it. Plain data, shared by host and
// runtime.
#pragma once

#include <cstdint>

#include "protocol/choice_log.hpp"
#include "protocol/ids.hpp"
#include "protocol/ops.hpp"

namespace raddle {

struct Pending {
  ThreadId thread;
  OpKind op;
  StepOutcome outcome;  // how it will end: ready, or by time-out, signal, cancellation
  ObjectId object;
  std::uint64_t site;
  // What else the operation touches, see touched_*() below; 0 if nothing.
  std::uint64_t extra = 0;
  // Where freeing memory is a decision too: the bytes in which the object lies, as touched_bytes().
  // They are its memory's, and gone with it. Of memory_free: how many bytes there are.
  std::uint64_t memory = 0;
};

// An access, an atomic operation, a futex: the bytes it reads or, with `writes`, may write. User
// addresses have 47 bits.
constexpr std::uint64_t touched_bytes(std::uint64_t address, std::uint64_t bytes,
                                      bool writes = false) {
  return (address << 16) | (writes ? 0x8000U : 0U) | (bytes < 0x7fff ? bytes : 0x7fff);
}
constexpr std::uint64_t touched_address(const Pending& p) { return p.extra >> 16; }
constexpr std::uint64_t touched_size(const Pending& p) { return p.extra & 0x7fff; }
constexpr bool may_write(const Pending& p) { return (p.extra & 0x8000) != 0; }

// Of Pending::memory: where an object lies. None: in memory that nobody frees.
constexpr std::uint64_t lies_at(const Pending& p) { return p.memory >> 16; }
constexpr std::uint64_t lies_on(const Pending& p) { return p.memory & 0x7fff; }
// memory_free: the whole block.
constexpr std::uint64_t freed_size(const Pending& p) { return p.memory > 0 ? p.memory : 1; }

// A condition wait: the mutex that it gives up.
constexpr std::uint64_t touched_object(ObjectId object) { return raw(object); }

// A join that does not wait for the end of the thread (pthread_tryjoin_np).
inline constexpr std::uint64_t kJoinWithoutWaiting = 1;

// A wait at a barrier that has arrived there, and waits for the others; one that destroys it.
inline constexpr std::uint64_t kPassesBarrier = 1;
inline constexpr std::uint64_t kDestroysBarrier = 2;

// A write-lock that does not wait yet: it finds out whether it has to.
inline constexpr std::uint64_t kCallsAsWriter = 1;

// An unlock of a reader-writer lock that the thread holds for reading.
inline constexpr std::uint64_t kUnlocksShare = 1;

// An event that is held until other threads are blocked: what any of them does matters to it.
inline constexpr std::uint64_t kAsksAll = 1;

constexpr StepRecord record_of(const Pending& p) {
  return {p.thread, p.op, static_cast<std::uint8_t>(p.outcome), p.object, p.site};
}

}  // namespace raddle
