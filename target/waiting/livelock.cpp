#include "protocol/idle_fairness.hpp"
#include "target/state/execution.hpp"
#include "target/waiting/memory_fingerprint.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

bool g_idling;
std::uint64_t g_idle_steps;

namespace {

constexpr std::uint64_t kMostPatience = 1 << 20;

std::uint64_t g_spins;         // of the idle steps, threads caught spinning
std::uint64_t g_patience;      // so many idle steps before the memory is looked at
bool g_memory_seen;            // it was looked at, since the last operation that was not idle,
std::uint64_t g_memory;        // and looked like this
bool g_locks_taken_in_rounds;  // an exploration: and given back

// Nothing but idle operations for long. The program may still get somewhere, by plain writes in
// between: then its memory is another one when it has gone on like that for as long again. Each
// look costs a pass over the memory, so the next one comes later.
bool nothing_changes(const IdleStep& step) {
  // Other threads of the process write, too: its memory says nothing.
  if (g_in_process) return !g_locks_taken_in_rounds;
  if (step.replayed) {
    // A replay need not look, and may itself write (it watches the heap).
    g_memory_seen = true;
    return false;
  }
  const std::uint64_t memory = memory_fingerprint();
  if (g_memory_seen && memory == g_memory) return true;
  g_memory_seen = true;
  g_memory = memory;
  g_idle_steps = 0;
  if (g_patience < kMostPatience) g_patience *= 2;
  return false;
}

}  // namespace

void start_idleness() {
  g_idling = g_locks_taken_in_rounds = g_memory_seen = false;
  g_idle_steps = g_spins = 0;
  g_patience = plan().livelock_steps;
}

void got_somewhere(OpKind op, bool exploring) {
  if (exploring && is_round_op(op)) {
    g_locks_taken_in_rounds = true;
    return;
  }
  start_idleness();
}

bool is_livelock(const IdleStep& step) {
  g_idling = true;
  ++g_idle_steps;
  if (step.op == OpKind::spin) ++g_spins;
  if (step.time_may_help) return false;
  // A spinning thread comes here only after it was seen in the same state again and again: when
  // every enabled thread does that, several rounds long, nothing will change.
  const bool all_spin = g_spins > 8 + 4 * std::uint64_t(step.enabled);
  if (all_spin || (g_memory_seen && step.beyond_recording)) return true;
  return g_idle_steps > g_patience && nothing_changes(step);
}

}  // namespace raddle
