// The target's side of the event stream (protocol/stream_encoder.h). Interceptors say what happened
// with note(), after it happened and while their thread still holds the token; it costs one test
// when nothing is streamed.
#pragma once

#include <cstdint>

#include "protocol/choice_log.hpp"
#include "protocol/shared_region.hpp"
#include "protocol/stream.hpp"

namespace raddle {

// Null while nothing is streamed.
extern RaddleStream* g_stream;

// For the execution that begins, as its plan says.
void start_stream(SharedRegion& region);

// This process is no longer the execution (a forked child).
void stop_stream();

// The chunk is full: publishes it, and waits while the ring is full.
void flush_stream();

// Ids of places in this execution's stream; 0, not known, once there are too many.
std::uint32_t code_site(std::uint64_t code, std::uint32_t what = RADDLE_SITE_CODE);
// Of a RaddleSite or a code address.
std::uint32_t any_site(std::uint64_t address);

// A write that was noted before it happened, by code that does not tell its value: that is read
// back when the thread comes to its next record, since nobody else ran in between.
struct PendingWrite {
  std::uint8_t* record;  // null: there is none
  const void* address;
  std::size_t bytes;
};
extern PendingWrite g_pending_write;
void read_back();

// Where the next record goes.
inline std::uint8_t* begin_record() {
  if (__builtin_expect(g_pending_write.record != nullptr, 0)) read_back();
  return g_stream->cursor;
}
inline void end_record(std::uint8_t* end) {
  if (raddle_advance(g_stream, end)) flush_stream();
}

// An event that is no plain access. A size or second value of 0 is left out. All in registers: a
// structure would be stored in parts and loaded whole, which takes longer than the rest.
void put_event(EventKind kind, std::uint8_t flags, std::uint32_t site, std::uint64_t object,
               std::uint64_t value, std::uint8_t size = 0, std::uint64_t value2 = 0);

// The host may know a name for what is at this address, and used here: a lock, a condition, an
// atomic variable.
void note_object(std::uint64_t address, std::uint64_t code);

constexpr bool is_of_sync_object(EventKind kind) {
  return kind == EventKind::acquire || kind == EventKind::wait || kind == EventKind::notify ||
         kind == EventKind::signal || kind == EventKind::await;
}

inline void note(EventKind kind, std::uint64_t code, std::uint64_t object, std::uint64_t value = 0,
                 std::uint8_t flags = 0) {
  if (__builtin_expect(g_stream == nullptr, 1)) return;
  if (is_of_sync_object(kind)) note_object(object, code);
  const std::uint32_t what =
      kind == EventKind::thread_begin ? RADDLE_SITE_ROUTINE : RADDLE_SITE_CODE;
  put_event(kind, flags, code_site(code, what), object, value);
}

inline void note(EventKind kind, std::uint64_t code, const void* object, std::uint64_t value = 0,
                 std::uint8_t flags = 0) {
  note(kind, code, reinterpret_cast<std::uint64_t>(object), value, flags);
}

// A step of the choice log; what follows is done by its thread. With Attention::streamed.
void put_decision(const StepRecord& record, std::uint64_t step);

void note_thread_name(ThreadId thread, const char* name);

}  // namespace raddle
