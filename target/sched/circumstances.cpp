#include "target/sched/circumstances.hpp"

#include "target/sched/clock.hpp"
#include "target/sched/decision_state.hpp"
#include "target/sched/enabled.hpp"
#include "target/state/execution.hpp"

namespace raddle {
namespace {

// A thread that is about to yield waits in a loop only if that is not the first time: its last step
// was idle, too.
bool yields_again(const Thread& thread) {
  constexpr std::uint64_t kLookedAt = 4096;
  const StepRecord* log = g_region->log();
  for (std::uint64_t i = g_steps; i > 0 && g_steps - i < kLookedAt; --i) {
    const StepRecord& step = log[i - 1];
    if (step.thread == thread.pending.thread) return is_idle_op(step.op);
  }
  return false;
}

// Somebody else could have gone on, and not only by waiting on: then no clock would have jumped.
bool others_go_on(const Thread& thread) {
  for (std::uint32_t i = 0; i < g_enabled_count; ++i) {
    const Thread& other = thread_of(g_enabled[i]);
    if (&other == &thread) continue;
    const OpKind op = other.pending.op;
    const bool idles = op == OpKind::yield ? yields_again(other) : is_idle_op(op);
    const bool waits_on = idles || other.pending.outcome == StepOutcome::kTimeout;
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
