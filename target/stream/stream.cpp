#include "target/stream/stream.hpp"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#include "protocol/ops.hpp"
#include "target/base/base.hpp"
#include "target/state/attention.hpp"
#include "target/stream/sites.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

RaddleStream* g_stream;
PendingWrite g_pending_write;

namespace {

void wake_host(RaddleStream& stream) {
  __atomic_fetch_add(&stream.host_wake, 1, __ATOMIC_RELEASE);
  raw_syscall(SYS_futex, as_arg(&stream.host_wake), FUTEX_WAKE, 1);
}

// Until the next chunk is free. The host looks after us even while we wait: a time-out, so that a
// host that was killed between two looks does not leave us here.
void wait_for_room(RaddleStream& stream, std::uint64_t published) {
  for (;;) {
    std::uint32_t seen = __atomic_load_n(&stream.target_wake, __ATOMIC_ACQUIRE);
    std::uint64_t consumed = __atomic_load_n(&stream.consumed, __ATOMIC_ACQUIRE);
    if (published - consumed < RADDLE_RING_CHUNKS) return;
    struct {
      long seconds, nanoseconds;
    } patience{0, 100'000'000};
    raw_syscall(SYS_futex, as_arg(&stream.target_wake), FUTEX_WAIT, seen, as_arg(&patience));
  }
}

void start_chunk(RaddleStream& stream, std::uint64_t chunk) {
  std::uint8_t* begin = stream.base + chunk % RADDLE_RING_CHUNKS * RADDLE_CHUNK_BYTES;
  stream.limit = begin + RADDLE_CHUNK_BYTES - RADDLE_CHUNK_SLACK;
  if (chunk % RADDLE_MODEL_CHUNKS != 0) {
    stream.cursor = begin;
    return;
  }
  // A reader can start here, without what came before.
  memset(&stream.model, 0, sizeof stream.model);
  raddle_advance(&stream, raddle_put_running(begin, stream.thread, stream.step));
}

}  // namespace

void start_stream(SharedRegion& region) {
  if (region.plan.trace == TraceLevel::kNone) {
    g_stream = nullptr;
  } else {
    EventStream& events = region.events();
    g_stream = &events.stream;
    g_stream->site_list = events.sites;
    g_stream->step = 0;
    g_stream->thread = raw(kMainThread);
    g_pending_write.record = nullptr;
    start_sites(events);
    std::uint8_t* ring = events.ring;
    __atomic_store_n(&g_stream->base, ring, __ATOMIC_RELEASE);
    start_chunk(*g_stream, 0);
  }
  g_attention.streamed = g_stream != nullptr;
}

void stop_stream() {
  g_stream = nullptr;
  g_attention.streamed = false;
}

void read_back() {
  const PendingWrite write = g_pending_write;
  g_pending_write.record = nullptr;
  std::uint64_t value = 0;
  memcpy(&value, write.address, write.bytes);
  memcpy(write.record + RADDLE_LATE_VALUE, &value, sizeof value);
  asm volatile("" : : : "memory");  // who sees that it is known sees it
  write.record[RADDLE_LATE_KNOWN] = 1;
}

void flush_stream() {
  g_pending_write.record = nullptr;  // the host has it now, without its value
  RaddleStream& stream = *g_stream;
  const std::uint64_t chunk = stream.published;
  const std::uint8_t* begin = stream.base + chunk % RADDLE_RING_CHUNKS * RADDLE_CHUNK_BYTES;
  stream.filled[chunk % RADDLE_RING_CHUNKS] = std::uint32_t(stream.cursor - begin);
  __atomic_store_n(&stream.published, chunk + 1, __ATOMIC_RELEASE);
  std::uint64_t waiting = chunk + 1 - __atomic_load_n(&stream.consumed, __ATOMIC_ACQUIRE);
  bool full = waiting >= RADDLE_RING_CHUNKS;
  // Half a ring at a time: on one core every wake-up of the host costs two switches.
  if (full || waiting == RADDLE_RING_CHUNKS / 2) wake_host(stream);
  if (full) wait_for_room(stream, chunk + 1);
  start_chunk(stream, chunk + 1);
  chunk_is_full();
}

void put_event(EventKind kind, std::uint8_t flags, std::uint32_t site, std::uint64_t object,
               std::uint64_t value, std::uint8_t size, std::uint64_t value2) {
  std::uint8_t* to = raddle_put_kind(begin_record(), unsigned(kind), flags);
  if (size != 0) to = raddle_put_size(to, size);
  if (value2 != 0) to = raddle_put_value2(to, value2);
  RaddleStream& stream = *g_stream;
  to = raddle_put_other(&stream.model, to, site, raddle_slot_of_kind(site, unsigned(kind)), object,
                        value);
  ++stream.events;
  end_record(to);
}

void put_decision(const StepRecord& record, std::uint64_t step) {
  const bool by_site = record.op >= OpKind::atomic_load;
  const std::uint32_t site = by_site ? any_site(record.site) : code_site(record.site);
  const std::uint64_t skipped = step - g_stream->step - 1;
  g_stream->step = step;
  g_stream->thread = raw(record.thread);
  put_event(EventKind::decision, record.outcome, site, raw(record.object),
            decision_value(std::uint8_t(record.op), raw(record.thread), skipped));
}

void note_thread_name(ThreadId thread, const char* name) {
  if (g_stream == nullptr) return;
  std::size_t length = strlen(name);
  if (length > 255) length = 255;
  begin_record();
  if (g_stream->cursor + RADDLE_NAME_BYTES > g_stream->limit + RADDLE_CHUNK_SLACK) flush_stream();
  end_record(
      raddle_put_name(g_stream->cursor, RADDLE_NAMES_THREAD, raw(thread), name, unsigned(length)));
}

}  // namespace raddle
