// The stream of events from the target to the host while the program runs: a ring of raw records in
// the shared region, written by the compiled-in hooks and by the runtime, read by the host
// (campaign/stream.hpp), which turns raw records into events.
//
// One program thread runs at a time, so the writer needs no atomics: a record is written at
// `cursor`, then `cursor` moves on (in this order, also for the compiler). At `limit`, the end of a
// chunk, the runtime publishes the chunk and waits while the ring is full (back-pressure). All of
// it is in shared memory: when the program dies in whatever way, the host still finds the records
// between the last published chunk and `cursor`.
#pragma once

#include <atomic>
#include <cstdint>

#include "trace/event.hpp"

namespace raddle {

// head: either the address of a RaddleSite (hooks/abi.h), which says kind, size and flags; or, from
// the runtime, for which there is none:
//   bits 63..56  EventKind, never 0
//   bits 55..48  Event::flags
//   bits 47..0   code address
// a is Event::object, b is Event::value. What does not fit comes in a RawKind record right before.
struct RawRecord {
  std::uint64_t head;
  std::uint64_t a;
  std::uint64_t b;
};
static_assert(sizeof(RawRecord) == 24);

// Kinds of raw records that are no events; in bits 63..56 of `head`.
enum class RawKind : std::uint8_t {
  kSize = 0xf0,   // of the next record: a: bytes of the access, b: Event::value2
  kValue = 0xf1,  // a: Event::flags of the next record, b: its value2 (atomic operations by site)
  kDecision = 0xf2,  // bits 55..48: outcome, code address: site; a: ObjectId | OpKind << 32 |
                     // ThreadId << 48; b: step. From here on that thread runs.
  kCall = 0xf3,      // of the next record, an enter: a: return address, 0 if inlined
  kSetjmp = 0xf4,    // a: jmp_buf, b: 0 when it was set, else the function is back there by longjmp
  kIgnore = 0xf5,    // a: 1 begin, 0 end: the thread's memory events in between are not wanted
  kName = 0xf6,      // a: object (bits 55..48: 0), ThreadId (1) or nothing: the running thread (2);
                     // b: bytes of the name, which follows in ceil(b / 24) records
  kAllocateFor = 0xf7,  // of the next record, an allocate: a: RaddleSite of the call, or its code
                        // address, to be used instead of its own
};

// Bits 55..48 of kName.
inline constexpr std::uint8_t kNamesObject = 0;
inline constexpr std::uint8_t kNamesThread = 1;
inline constexpr std::uint8_t kNamesRunning = 2;

constexpr std::uint64_t raw_head(EventKind kind, std::uint8_t flags, std::uint64_t code) {
  return std::uint64_t(kind) << 56 | std::uint64_t(flags) << 48 | (code & 0xffff'ffff'ffffULL);
}
constexpr std::uint64_t raw_head(RawKind kind, std::uint8_t flags, std::uint64_t code) {
  return std::uint64_t(kind) << 56 | std::uint64_t(flags) << 48 | (code & 0xffff'ffff'ffffULL);
}

inline constexpr std::uint64_t kChunkRecords = 4096;
inline constexpr std::uint64_t kRingChunks = 16;
inline constexpr std::uint64_t kRingRecords = kChunkRecords * kRingChunks;

struct Stream {
  // In the target's addresses; at fixed offsets, see RaddleStream in hooks/abi.h.
  RawRecord* cursor;
  RawRecord* limit;
  RawRecord* base;                         // of the ring
  std::atomic<std::uint64_t> published;    // records, always whole chunks; by the target
  std::atomic<std::uint64_t> consumed;     // records; by the host
  std::atomic<std::uint32_t> host_wake;    // futex: changes when there is something for the host
  std::atomic<std::uint32_t> target_wake;  // futex: changes when the host has consumed
};

}  // namespace raddle
