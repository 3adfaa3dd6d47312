// The target's side of the event stream (trace/stream.hpp). Interceptors say what happened with
// note(), after it happened and while their thread still holds the token; it costs one test when
// nothing is streamed.
#pragma once

#include <cstdint>

#include "trace/choice_log.hpp"
#include "trace/shared_region.hpp"
#include "trace/stream.hpp"

namespace raddle {

// Null while nothing is streamed.
extern Stream* g_stream;

// For the execution that begins, as its plan says. Also tells the compiled-in hooks, if the program
// has any, that the runtime is in control.
void start_stream(SharedRegion& region);

// This process is no longer the execution (a forked child): the hooks fall silent.
void stop_stream();

// The chunk is full: publishes it, and waits while the ring is full.
void flush_stream();

// A write that was noted before it happened, by code that does not tell its value: that is read
// back when the thread comes to its next record, since nobody else ran in between.
struct PendingWrite {
  RawRecord* record;  // null: there is none
  const void* address;
  std::size_t bytes;
};
extern PendingWrite g_pending_write;
void read_back();

inline void put_record(std::uint64_t head, std::uint64_t a, std::uint64_t b) {
  if (__builtin_expect(g_pending_write.record != nullptr, 0)) read_back();
  RawRecord* record = g_stream->cursor;
  *record = {head, a, b};
  asm volatile("" : : : "memory");  // whoever sees the cursor sees the record
  g_stream->cursor = ++record;
  if (__builtin_expect(record == g_stream->limit, 0)) flush_stream();
}

inline void note(EventKind kind, std::uint64_t site, std::uint64_t object, std::uint64_t value = 0,
                 std::uint8_t flags = 0) {
  if (__builtin_expect(g_stream != nullptr, 0))
    put_record(raw_head(kind, flags, site), object, value);
}

inline void note(EventKind kind, std::uint64_t site, const void* object, std::uint64_t value = 0,
                 std::uint8_t flags = 0) {
  note(kind, site, reinterpret_cast<std::uint64_t>(object), value, flags);
}

// A step of the choice log; what follows is done by its thread.
inline void note_decision(const StepRecord& record, std::uint64_t step) {
  if (__builtin_expect(g_stream == nullptr, 1)) return;
  put_record(raw_head(RawKind::kDecision, record.outcome, record.site),
             std::uint64_t(raw(record.object)) | std::uint64_t(record.op) << 32 |
                 std::uint64_t(raw(record.thread)) << 48,
             step);
}

void note_thread_name(ThreadId thread, const char* name);
void note_object_name(const void* object, const char* name);

}  // namespace raddle
