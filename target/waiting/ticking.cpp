#include "target/base/forgetting.hpp"
#include "target/state/execution.hpp"
#include "target/state/threads.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {
namespace {

// So many jumps of virtual time in a row without anything new. A ticker needs about five steps for
// each, so this is some 0.2 s of real time. Correct programs that wait for a thread that sleeps
// more often than this are given up without a verdict.
constexpr std::uint64_t kQuietJumps = 200'000;
constexpr std::uint64_t kLongestRound = 1'000;  // steps; who makes more between two jumps is busy
constexpr std::uint32_t kMostKinds = 256;       // of steps; a ticker has a handful
constexpr std::uint32_t kSlots = 2 * kMostKinds;
constexpr std::uint32_t kThreadIds = 1 << 16;

// What a thread does, and where. Not on which object: a ticker may make a new one in each round.
struct StepKind {
  std::uint64_t site;
  ThreadId thread;
  OpKind op;
};

// A hash table that only grows. Whether a kind is in it does not depend on addresses.
StepKind g_kinds[kSlots];
bool g_used[kSlots];
std::uint32_t g_kind_count;

RADDLE_FORGOTTEN std::uint64_t g_jumps;         // quiet ones
RADDLE_FORGOTTEN std::uint64_t g_window_begin;  // the step before the first of them
RADDLE_FORGOTTEN std::uint64_t g_last_jump;     // the step before the last one
std::uint8_t g_moved[kThreadIds / 8];

std::uint64_t steps() { return g_region->live.steps.load(std::memory_order_relaxed); }

void start_window() {
  g_jumps = 0;
  g_window_begin = steps();
}

void forget_kinds() {
  if (g_kind_count == 0) return;
  for (bool& used : g_used) used = false;
  g_kind_count = 0;
}

bool is_new_kind(const StepRecord& record) {
  std::uint64_t hash = (record.site ^ (std::uint64_t(raw(record.thread)) << 48)) +
                       std::uint64_t(record.op) * 0x9e3779b97f4a7c15U;
  hash *= 0x9e3779b97f4a7c15U;
  std::uint32_t slot = std::uint32_t(hash >> 40) % kSlots;
  for (; g_used[slot]; slot = (slot + 1) % kSlots) {
    const StepKind& kind = g_kinds[slot];
    if (kind.site == record.site && kind.thread == record.thread && kind.op == record.op)
      return false;
  }
  if (g_kind_count == kMostKinds) {
    forget_kinds();
    return true;
  }
  ++g_kind_count;
  g_used[slot] = true;
  g_kinds[slot] = {record.site, record.thread, record.op};
  return true;
}

// Looks at the steps since the last jump, each of which is looked at once.
bool round_is_quiet() {
  const std::uint64_t now = steps();
  const std::uint64_t begin = g_last_jump;
  g_last_jump = now;
  if (now - begin > kLongestRound) return false;
  bool quiet = true;
  for (std::uint64_t i = begin; i < now; ++i) quiet &= !is_new_kind(g_region->log()[i]);
  return quiet;
}

void find_who_moved() {
  for (std::uint8_t& byte : g_moved) byte = 0;
  for (std::uint64_t i = g_window_begin; i < steps(); ++i) {
    const std::uint32_t id = raw(g_region->log()[i].thread);
    g_moved[id / 8] = std::uint8_t(g_moved[id / 8] | (1U << (id % 8)));
  }
}

bool moved(const Thread& thread) {
  const std::uint32_t id = raw(thread.pending.thread);
  return (g_moved[id / 8] >> (id % 8) & 1) != 0;
}

// Null also if a thread moved that now waits for another one: they do work together.
Thread* first_that_waits() {
  Thread* first = nullptr;
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
    if (thread.finished || thread.deadline != kNoDeadline) continue;
    if (moved(thread)) return nullptr;
    // Who waits for another thread to end has nothing to be woken by.
    if (first == nullptr && thread.pending.op != OpKind::thread_join) first = &thread;
  }
  return first;
}

RADDLE_FORGETS(forget_kinds)

}  // namespace

Thread* waits_beside_ticks() {
  if (!round_is_quiet()) start_window();
  if (++g_jumps < kQuietJumps) return nullptr;
  find_who_moved();
  Thread* waits = first_that_waits();
  start_window();
  return waits;
}

}  // namespace raddle
