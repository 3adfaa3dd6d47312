#include "target/sched/circumstances.hpp"

#include "target/sched/clock.hpp"
#include "target/sched/enabled.hpp"
#include "target/state/execution.hpp"

namespace raddle {
namespace {

// Somebody else could have gone on, and not only by waiting on: then no clock would have jumped.
bool others_go_on(const Thread& thread) {
  for (std::uint32_t i = 0; i < g_enabled_count; ++i) {
    const Thread& other = thread_of(g_enabled[i]);
    if (&other == &thread) continue;
    const bool waits_on =
        is_idle_op(other.pending.op) || other.pending.outcome == StepOutcome::kTimeout;
    if (other.timed_out || !waits_on) return true;
  }
  return false;
}

}  // namespace

void note_early_timeout(const Thread& thread, std::uint64_t deadline) {
  const Thread* next = earliest_deadline();
  const bool another_first = next != nullptr && next != &thread && next->deadline < deadline;
  if (!another_first && !others_go_on(thread)) return;
  Circumstances& met = g_region->circumstances;
  ++met.early_timeouts;
  met.early_time += deadline - virtual_now();
}

void note_spurious_wakeup() { ++g_region->circumstances.spurious_wakeups; }

void note_short_transfer() { ++g_region->circumstances.short_transfers; }

void note_failed_allocation() { ++g_region->circumstances.failed_allocations; }

}  // namespace raddle
