#include "target/sched/idle.hpp"

#include "target/outcome/outcome.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/deadlock.hpp"
#include "target/sched/decision_state.hpp"
#include "target/sched/enabled.hpp"
#include "target/sched/outside.hpp"
#include "target/sched/replaying.hpp"
#include "target/sched/scheduler.hpp"
#include "target/sched/signal_delivery.hpp"
#include "target/state/uncontrolled.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

void end_as_foreign() {
  end_with(
      OutcomeKind::kInconclusive, self(),
      "a thread that was not made with pthread_create uses synchronisation (clone, or timer_create "
      "with SIGEV_THREAD): Raddle cannot schedule it");
}

namespace {

// Virtual time is about to jump, and no thread is enabled. A function of a unit test is not given
// up: there, an execution without a verdict is a failure.
void end_if_possible_hang() {
  if (g_in_process) return;
  if (plan().replay_strict && g_replay != nullptr) {
    if (plan().recorded_end == RecordedEnd::kPossibleHang && g_replay->next() == nullptr)
      end_in_possible_hang(self());
    return;
  }
  Thread* waits = waits_beside_ticks();
  if (waits != nullptr && !something_unseen_may_happen()) end_in_possible_hang(*waits);
}

}  // namespace

// No thread is enabled: the clock goes on to where one is. Linux ends a sleep up to 50 us later
// than asked for, unless the program wants it otherwise (its timer slack), so two that end so close
// to each other may end in either order. Of those that are further apart, by no more than what the
// steps took so far, another order of steps may change which is first: nobody tries that.
static void jump_to(const Thread& next) {
  constexpr std::uint64_t kTimerSlack = 50'000;
  const bool steady = plan().clock == ClockKind::kSteady;
  if (next.deadline > virtual_now()) advance_clock(next.deadline - virtual_now());
  fire_deadlines(steady ? kTimerSlack : 0);
  const Thread* other = steady ? earliest_deadline() : nullptr;
  const std::uint64_t steps_took = 2 * kTick * g_steps;
  if (other != nullptr && other->deadline - virtual_now() <= steps_took) note_close_waits();
}

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
    end_if_possible_hang();
    jump_to(*next);
    return;
  }
  // Nothing we know of can happen any more. A timer of the program or a thread that is not ours may
  // still bring a signal: then this is a wait for the outside world, and no deadlock.
  if (!something_unseen_may_happen()) {
    if (g_before_deadlock != nullptr) g_before_deadlock();
    end_in_deadlock();
  }
  advance_clock(sleep_outside(kIdleSlice));
  give_up_if_asked();
  end_if_foreign();
}

void pass_idle_time() {
  Thread* next = earliest_deadline();
  if (next != nullptr) jump_to(*next);
}

void idles_on(Thread& next) {
  const bool time_may_help = earliest_deadline() != nullptr || any_external();
  const bool replayed = plan().replay_strict && g_replay != nullptr;
  if (is_livelock(next, {.enabled = g_enabled_count,
                         .time_may_help = time_may_help,
                         .unseen_may_help = something_unseen_may_happen,
                         .replayed = replayed})) {
    end_in_livelock();
  }
}

}  // namespace raddle
