#include "runtime/stream/stream.hpp"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/base.hpp"
#include "runtime/stream/instrumented.hpp"

namespace raddle {

Stream* g_stream;
PendingWrite g_pending_write;

namespace {

void wake_host(Stream& stream) {
  stream.host_wake.fetch_add(1, std::memory_order_release);
  raw_syscall(SYS_futex, as_arg(&stream.host_wake), FUTEX_WAKE, 1);
}

// Until the next chunk is free. The host looks after us even while we wait: a time-out, so that a
// host that was killed between two looks does not leave us here.
void wait_for_room(Stream& stream, std::uint64_t published) {
  for (;;) {
    std::uint32_t seen = stream.target_wake.load(std::memory_order_acquire);
    std::uint64_t consumed = stream.consumed.load(std::memory_order_acquire);
    if (published + kChunkRecords - consumed <= kRingRecords) return;
    struct {
      long seconds, nanoseconds;
    } patience{0, 100'000'000};
    raw_syscall(SYS_futex, as_arg(&stream.target_wake), FUTEX_WAIT, seen, as_arg(&patience));
  }
}

void note_name(std::uint64_t subject, std::uint8_t what, const char* name) {
  if (g_stream == nullptr) return;
  std::size_t bytes = strlen(name);
  if (bytes > 255) bytes = 255;
  put_record(raw_head(RawKind::kName, what, 0), subject, bytes);
  for (std::size_t at = 0; at < bytes; at += sizeof(RawRecord)) {
    RawRecord text{};
    std::size_t part = bytes - at < sizeof(text) ? bytes - at : sizeof(text);
    memcpy(&text, name + at, part);
    put_record(text.head, text.a, text.b);
  }
}

}  // namespace

void start_stream(SharedRegion& region) {
  if (region.plan.trace == TraceLevel::kNone) {
    g_stream = nullptr;
  } else {
    g_stream = &region.stream;
    g_stream->base = region.ring();
    g_stream->cursor = g_stream->base;
    g_stream->limit = g_stream->base + kChunkRecords;
  }
  start_hooks(g_stream, region);
}

void stop_stream() {
  g_stream = nullptr;
  stop_hooks();
}

void read_back() {
  const PendingWrite write = g_pending_write;
  g_pending_write.record = nullptr;
  std::uint64_t value = 0;
  memcpy(&value, write.address, write.bytes);
  write.record->b = value;
  write.record->head &= ~(std::uint64_t(kNoValue) << 48);
}

void flush_stream() {
  g_pending_write.record = nullptr;  // the host has it now, without its value
  Stream& stream = *g_stream;
  std::uint64_t published = stream.published.load(std::memory_order_relaxed) + kChunkRecords;
  stream.published.store(published, std::memory_order_release);
  std::uint64_t waiting = published - stream.consumed.load(std::memory_order_acquire);
  bool full = waiting + kChunkRecords > kRingRecords;
  // Half a ring at a time: on one core every wake-up of the host costs two switches.
  constexpr std::uint64_t kHalf = kRingRecords / 2;
  if (full || (waiting >= kHalf && waiting - kChunkRecords < kHalf)) wake_host(stream);
  if (full) wait_for_room(stream, published);
  stream.cursor = stream.base + published % kRingRecords;
  stream.limit = stream.cursor + kChunkRecords;
}

void note_thread_name(ThreadId thread, const char* name) {
  note_name(raw(thread), kNamesThread, name);
}

void note_object_name(const void* object, const char* name) {
  note_name(reinterpret_cast<std::uint64_t>(object), kNamesObject, name);
}

}  // namespace raddle
