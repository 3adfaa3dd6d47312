#include "target/sched/clock.hpp"

#include <string.h>

#include "target/base/base.hpp"
#include "target/base/forgetting.hpp"
#include "target/state/attention.hpp"

namespace raddle {
namespace {

RADDLE_FORGOTTEN std::uint64_t g_now;

// Binary heap; each thread knows its index.
RADDLE_FORGOTTEN Thread** g_heap;
RADDLE_FORGOTTEN std::int32_t g_heap_size;
RADDLE_FORGOTTEN std::int32_t g_heap_capacity;

bool before(const Thread& a, const Thread& b) {
  return a.deadline != b.deadline ? a.deadline < b.deadline
                                  : raw(a.pending.thread) < raw(b.pending.thread);
}

void place(std::int32_t index, Thread& thread) {
  g_heap[index] = &thread;
  thread.deadline_index = index;
}

void sift(std::int32_t index, Thread& thread) {
  while (index > 0 && before(thread, *g_heap[(index - 1) / 2])) {
    place(index, *g_heap[(index - 1) / 2]);
    index = (index - 1) / 2;
  }
  for (;;) {
    std::int32_t child = 2 * index + 1;
    if (child >= g_heap_size) break;
    if (child + 1 < g_heap_size && before(*g_heap[child + 1], *g_heap[child])) ++child;
    if (!before(*g_heap[child], thread)) break;
    place(index, *g_heap[child]);
    index = child;
  }
  place(index, thread);
}

std::int64_t base_of(clockid_t id) {
  switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      return kRealtimeBase;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
      return kMonotonicBase;
    default:  // CPU-time clocks of this process and of threads
      return 0;
  }
}

std::uint64_t nanoseconds(const timespec& time) {
  if (time.tv_sec < 0) return 0;
  unsigned __int128 total =
      static_cast<unsigned __int128>(time.tv_sec) * 1'000'000'000 + std::uint64_t(time.tv_nsec);
  return total >= kNoDeadline ? kNoDeadline - 1 : static_cast<std::uint64_t>(total);
}

}  // namespace

std::uint64_t virtual_now() { return g_now; }
void advance_clock(std::uint64_t amount) { g_now += amount; }

std::int64_t clock_reading(clockid_t id) { return base_of(id) + static_cast<std::int64_t>(g_now); }

std::uint64_t deadline_at(clockid_t id, const timespec& absolute) {
  std::uint64_t wanted = nanoseconds(absolute);
  auto base = static_cast<std::uint64_t>(base_of(id));
  return wanted <= base ? 0 : wanted - base;
}

std::uint64_t deadline_after(const timespec& relative) {
  std::uint64_t span = nanoseconds(relative);
  return span >= kNoDeadline - 1 - g_now ? kNoDeadline - 1 : g_now + span;
}

void add_deadline(Thread& thread) {
  if (g_heap_size == g_heap_capacity) {
    std::int32_t capacity = g_heap_capacity == 0 ? 64 : g_heap_capacity * 2;
    auto** bigger = static_cast<Thread**>(arena_allocate(std::size_t(capacity) * sizeof(Thread*)));
    if (g_heap_size > 0) memcpy(bigger, g_heap, std::size_t(g_heap_size) * sizeof(Thread*));
    g_heap = bigger;
    g_heap_capacity = capacity;
  }
  sift(g_heap_size++, thread);
  g_attention.deadlines = true;
}

void remove_deadline(Thread& thread) {
  if (thread.deadline_index < 0) return;
  std::int32_t index = thread.deadline_index;
  thread.deadline_index = -1;
  Thread& last = *g_heap[--g_heap_size];
  if (&last != &thread) sift(index, last);
  g_attention.deadlines = g_heap_size > 0;
}

Thread* earliest_deadline() { return g_heap_size == 0 ? nullptr : g_heap[0]; }

}  // namespace raddle
