#include "target/sched/idle.hpp"

#include "protocol/idle_fairness.hpp"
#include "target/inprocess/inprocess.hpp"
#include "target/intercept/signals.hpp"
#include "target/outcome/outcome.hpp"
#include "target/outcome/progress.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/deadlock.hpp"
#include "target/sched/enabled.hpp"
#include "target/sched/outside.hpp"
#include "target/sched/replaying.hpp"
#include "target/sched/scheduler.hpp"

namespace raddle {

bool g_idling;
std::uint64_t g_idle_steps;
bool g_foreign_thread;

namespace {

constexpr std::uint64_t kMostPatience = 1 << 20;

bool g_unscheduled;  // see expect_unscheduled()

std::uint64_t g_spins;     // of the idle steps, threads caught spinning
std::uint64_t g_patience;  // so many of them before the memory is looked at
bool g_looked;             // it was, since the last operation that was not idle
std::uint64_t g_memory;    // and looked like this
bool g_rounds;             // an exploration: locks were taken and given back in between

// Nothing but idle operations for long. The program may still get somewhere, by plain writes in
// between: then its memory is another one when it has gone on like that for as long again. Each
// look costs a pass over the memory, so the next one comes later.
void end_if_nothing_changes() {
  if (g_in_process) {  // others of the process write, too: its memory says nothing
    if (g_rounds) return;
    end_in_livelock();
  }
  if (plan().replay_strict && g_replay != nullptr) {
    // The recording says when it was enough: a replay need not look, and may itself write (it
    // watches the heap).
    g_looked = true;
    return;
  }
  const std::uint64_t memory = memory_fingerprint();
  if (g_looked && memory == g_memory) end_in_livelock();
  g_looked = true;
  g_memory = memory;
  g_idle_steps = 0;
  if (g_patience < kMostPatience) g_patience *= 2;
}

}  // namespace

void end_as_foreign() {
  end_with(
      OutcomeKind::kInconclusive, self(),
      "a thread that was not made with pthread_create uses synchronisation (clone, or timer_create "
      "with SIGEV_THREAD): Raddle cannot schedule it");
}

void note_foreign_thread() {
  const bool expected = __atomic_load_n(&g_unscheduled, __ATOMIC_RELAXED);
  if (!expected && !is_helper_thread()) __atomic_store_n(&g_foreign_thread, true, __ATOMIC_RELAXED);
}

void expect_unscheduled(bool begin) { __atomic_store_n(&g_unscheduled, begin, __ATOMIC_RELAXED); }

void forget_foreign_threads() { g_foreign_thread = g_unscheduled = false; }

void wait_until_enabled() {
  route_process_signals();
  if (any_polled()) {
    Thread* next = earliest_deadline();
    bool external = any_external();
    std::uint64_t limit = 0;
    if (external) limit = next != nullptr ? next->deadline - virtual_now() : kIdleSlice;
    if (limit > kIdleSlice) limit = kIdleSlice;  // the host may want us to give up
    std::uint64_t slept = sleep_outside(limit);
    if (external) advance_clock(slept);
    route_process_signals();
    for_each_polled(evaluate);
    fire_deadlines();
    give_up_if_asked();
    end_if_foreign();
    if (external || g_enabled_count > 0) return;
  }
  if (Thread* next = earliest_deadline()) {
    if (next->deadline > virtual_now()) advance_clock(next->deadline - virtual_now());
    fire_deadlines();
    return;
  }
  // Nothing we know of can happen any more. A timer of the program or a thread that is not ours may
  // still bring a signal: then this is a wait for the outside world, and no deadlock.
  if (!something_unseen_may_happen()) end_in_deadlock();
  advance_clock(sleep_outside(kIdleSlice));
  give_up_if_asked();
  end_if_foreign();
}

void pass_idle_time() {
  Thread* next = earliest_deadline();
  if (next == nullptr) return;
  if (next->deadline > virtual_now()) advance_clock(next->deadline - virtual_now());
  fire_deadlines();
}

void forget_idleness() {
  g_idling = g_rounds = g_looked = false;
  g_idle_steps = g_spins = 0;
  g_patience = plan().livelock_steps;
}

// Where loops that wait are bounded fairly, those that take a lock in each round are among them.
void idles_no_more(OpKind op) {
  if (exploring() && is_round_op(op)) {
    g_rounds = true;
    return;
  }
  forget_idleness();
}

void idles_on(const Thread& next) {
  g_idling = true;
  ++g_idle_steps;
  if (next.pending.op == OpKind::spin) ++g_spins;
  // A spinning thread comes here only after the same registers and stack were seen again and again:
  // when every enabled thread does that, several rounds long and with no deadline to come, nothing
  // will change.
  bool all_spin = g_spins > 8 + 4 * std::uint64_t(g_enabled_count);
  bool time_may_help = earliest_deadline() != nullptr || any_external();
  if (time_may_help) return;
  if (all_spin || (g_looked && beyond_recording())) end_in_livelock();
  if (g_idle_steps > g_patience) end_if_nothing_changes();
}

}  // namespace raddle
