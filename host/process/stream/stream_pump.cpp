#include "host/process/stream/stream_pump.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace raddle {
namespace {

template <class T>
T load(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

void futex_wake(std::uint32_t& word) {
  __atomic_fetch_add(&word, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void futex_wait(std::uint32_t& word, std::uint32_t seen) {
  const timespec patience{0, 100'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &patience, nullptr, 0);
}

}  // namespace

StreamPump::StreamPump(EventStream& events, StreamDefinitions& definitions, StreamSink& sink)
    : events_(events), stream_(events.stream), definitions_(definitions), sink_(sink) {
  thread_ = std::thread([this] { run(); });
}

StreamPump::~StreamPump() { finish(); }

void StreamPump::finish() {
  if (!thread_.joinable()) return;
  finishing_ = true;
  futex_wake(stream_.host_wake);
  thread_.join();
}

void StreamPump::run() {
  for (;;) {
    const std::uint32_t seen = load(stream_.host_wake);
    const bool last = finishing_;
    if (read_published()) continue;
    read_rest();
    if (last) return;
    futex_wait(stream_.host_wake, seen);
  }
}

bool StreamPump::read_published() {
  const std::uint64_t published = load(stream_.published);
  if (published <= chunk_ || published - chunk_ > RADDLE_RING_CHUNKS) return false;
  definitions_.update();
  const std::uint64_t half = chunk_ + (published - chunk_ + 1) / 2;
  while (chunk_ < published) {
    pass_on(load(stream_.filled[chunk_ % RADDLE_RING_CHUNKS]));
    offset_ = 0;
    ++chunk_;
    __atomic_store_n(&stream_.consumed, chunk_, __ATOMIC_RELEASE);
    // The target may be waiting for room: once when half of it is there, and at the end.
    if (chunk_ == half || chunk_ == published) futex_wake(stream_.target_wake);
  }
  return true;
}

// What lies between the last published chunk and the cursor. Nothing more may come for a long time,
// or ever: the program waits, or is dead.
void StreamPump::read_rest() {
  const auto base = reinterpret_cast<std::uint64_t>(load(stream_.base));
  const auto cursor = reinterpret_cast<std::uint64_t>(load(stream_.cursor));
  // A chunk is published before the cursor leaves it.
  if (base == 0 || cursor == 0 || load(stream_.published) != chunk_) return;
  const std::uint64_t written = cursor - base - chunk_ % RADDLE_RING_CHUNKS * RADDLE_CHUNK_BYTES;
  if (written > RADDLE_CHUNK_BYTES) return;
  definitions_.update();
  pass_on(static_cast<std::uint32_t>(written));
  sink_.pause();
}

// The chunk from where the sink has it up to `end`.
void StreamPump::pass_on(std::uint32_t end) {
  end = std::min(end, RADDLE_CHUNK_BYTES);
  if (end <= offset_) return;
  const bool fresh = offset_ == 0 && chunk_ % RADDLE_MODEL_CHUNKS == 0;
  const std::uint8_t* chunk = events_.ring + chunk_ % RADDLE_RING_CHUNKS * RADDLE_CHUNK_BYTES;
  sink_.records({chunk + offset_, end - offset_}, fresh);
  offset_ = end;
}

}  // namespace raddle
