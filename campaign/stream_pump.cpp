#include "campaign/stream_pump.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>

namespace raddle {
namespace {

void futex_wake(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  const timespec patience{0, 100'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &patience, nullptr, 0);
}

}  // namespace

StreamPump::StreamPump(SharedRegion& region, StreamDecoder& decoder, std::function<void()> idle)
    : region_(region), stream_(region.stream), decoder_(decoder), idle_(std::move(idle)) {
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
    const std::uint32_t seen = stream_.host_wake.load(std::memory_order_acquire);
    const bool last = finishing_;
    if (read_published()) {
      idle_();
      continue;
    }
    read_rest();
    idle_();
    if (last) return;
    futex_wait(stream_.host_wake, seen);
  }
}

bool StreamPump::read_published() {
  const std::uint64_t published = stream_.published.load(std::memory_order_acquire);
  if (published <= consumed_ || published - consumed_ > kRingRecords) return false;
  const std::uint64_t half = consumed_ + (published - consumed_ + 1) / 2;
  while (consumed_ < published) {
    const std::uint64_t end = std::min(published, (consumed_ / kChunkRecords + 1) * kChunkRecords);
    const bool crosses_half = consumed_ < half && end >= half;
    consume(consumed_, end);
    // The target may be waiting for room: once when half of it is there, and at the end.
    if (crosses_half || consumed_ == published) futex_wake(stream_.target_wake);
  }
  return true;
}

// What lies between the last published chunk and the cursor. Nothing more may come for a long time,
// or ever: the program waits, or is dead.
void StreamPump::read_rest() {
  const std::uint64_t published = stream_.published.load(std::memory_order_acquire);
  const auto* base = __atomic_load_n(&stream_.base, __ATOMIC_ACQUIRE);
  const auto* cursor = __atomic_load_n(&stream_.cursor, __ATOMIC_ACQUIRE);
  if (base == nullptr || published != stream_.published.load(std::memory_order_acquire)) return;
  const auto written =
      (reinterpret_cast<std::uint64_t>(cursor) - reinterpret_cast<std::uint64_t>(base)) /
      sizeof(RawRecord);
  const std::uint64_t chunk = published % kRingRecords;
  if (written < chunk || written - chunk > kChunkRecords) return;  // it moves this very moment
  const std::uint64_t end = published + (written - chunk);
  if (end > consumed_ && end - consumed_ <= kRingRecords) consume(consumed_, end);
  decoder_.flush();
}

void StreamPump::consume(std::uint64_t from, std::uint64_t to) {
  while (from < to) {
    const std::uint64_t at = from % kRingRecords;
    const std::uint64_t count = std::min(to - from, kRingRecords - at);
    decoder_.decode({region_.ring() + at, count});
    from += count;
  }
  consumed_ = to;
  stream_.consumed.store(to, std::memory_order_release);
}

}  // namespace raddle
