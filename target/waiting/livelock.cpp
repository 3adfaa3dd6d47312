#include "protocol/turns/idle_fairness.hpp"
#include "target/state/execution.hpp"
#include "target/waiting/memory_fingerprint.hpp"
#include "target/waiting/rounds.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

std::uint64_t g_idle_steps;

namespace {

constexpr std::uint64_t kMostPatience = 1 << 20;

std::uint64_t g_idleness;    // number of this one
std::uint64_t g_spins;       // of the idle steps, threads caught spinning
std::uint64_t g_patience;    // so many idle steps are a window
std::uint64_t g_window_end;  // in idle steps; before the first window, its beginning
std::uint64_t g_spins_end;   // in spins
bool g_in_window;
std::uint64_t g_memory;  // at the beginning of the window
bool g_busy_in_window;   // somebody did something that was not idle

void end_window_after(std::uint64_t patience, std::uint32_t enabled) {
  g_window_end = g_idle_steps + patience;
  // A thread that spins costs a few samples each time; but the samples have compared much already.
  g_spins_end = g_spins + 8 + 4 * std::uint64_t(enabled);
}

// Other threads of a process with many executions write, too: its memory says nothing.
std::uint64_t memory_now() { return g_in_process ? 0 : memory_fingerprint(g_idleness); }

// Something may change by itself: to watch would be in vain. The next window comes later.
void close_window() {
  g_in_window = false;
  g_window_end = 0;
  stop_watching_rounds();
}

bool nothing_changed_in_window(const IdleStep& step) {
  if (g_in_process && g_busy_in_window) return false;
  return all_go_round() && memory_now() == g_memory && !memory_is_shared() &&
         !step.unseen_may_help();
}

}  // namespace

void start_idleness() {
  g_attention.idling = g_in_window = false;
  ++g_idleness;
  g_idle_steps = g_spins = 0;
  g_patience = plan().livelock_steps;
  g_window_end = g_spins_end = 0;
  stop_watching_rounds();
}

bool idles(const Thread& thread) { return thread.idled_in == g_idleness; }

void got_somewhere(OpKind op) {
  g_busy_in_window = true;
  // Whether a write changes anything, settle_looks() tells when it was executed.
  const bool settled_later = op == OpKind::atomic_store || op == OpKind::atomic_update ||
                             op == OpKind::memory_write || op == OpKind::fence;
  if (!settled_later && !is_round_op(op)) start_idleness();
}

void look_outside() {
  if (g_in_window) close_window();
}

bool is_livelock(Thread& next, const IdleStep& step) {
  g_attention.idling = true;
  ++g_idle_steps;
  next.idled_in = g_idleness;
  if (next.pending.op == OpKind::spin) ++g_spins;
  if (step.replayed) return false;
  if (step.time_may_help) {
    close_window();
    return false;
  }
  if (g_window_end == 0) end_window_after(g_patience, step.enabled);
  if (g_idle_steps < g_window_end && g_spins < g_spins_end) return false;
  if (g_in_window) {
    if (nothing_changed_in_window(step)) return true;
    if (g_patience < kMostPatience) g_patience *= 2;
  }
  g_in_window = true;
  g_busy_in_window = false;
  g_memory = memory_now();
  watch_rounds();
  end_window_after(g_patience, step.enabled);
  return false;
}

}  // namespace raddle
