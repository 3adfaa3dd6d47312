#include "target/sched/replaying.hpp"

#include "target/base/forgetting.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/enabled.hpp"
#include "target/sched/outside.hpp"
#include "target/sched/signal_delivery.hpp"
#include "target/state/execution.hpp"
#include "target/state/threads.hpp"

namespace raddle {

RADDLE_FORGOTTEN Replay* g_replay;

namespace {

constexpr std::uint64_t kPatience = 5'000'000'000;  // for an event of the outside world

}  // namespace

void check_divergence() {
  if (g_replay == nullptr || !g_replay->divergence().happened) return;
  if (beyond_recording() && plan().recorded_end == RecordedEnd::kCutOff)
    end_at_limit("the recording was given up here, and says nothing of what comes next");
  if (beyond_recording() && plan().recorded_end == RecordedEnd::kPossibleHang)
    end_in_possible_hang(self());
  if (beyond_recording() && plan().recorded_end == RecordedEnd::kLivelock) end_in_livelock();
  end_as_diverged(g_replay->divergence());
}

bool beyond_recording() {
  return g_replay != nullptr && g_replay->divergence().happened &&
         g_replay->divergence().recorded.thread == kNoThread;
}

void await_recorded() {
  const StepRecord* record = g_replay != nullptr ? g_replay->next() : nullptr;
  if (record == nullptr || record->op == OpKind::value_choice ||
      raw(record->thread) >= thread_count())
    return;
  Thread& wanted = thread_by_id(record->thread);
  auto outcome = static_cast<StepOutcome>(record->outcome);
  auto as_recorded = [&] { return wanted.enabled_index >= 0 && wanted.pending.outcome == outcome; };
  if (as_recorded() || wanted.finished) return;
  if (outcome == StepOutcome::kTimeout && wanted.deadline_index >= 0) {
    if (wanted.deadline > virtual_now()) advance_clock(wanted.deadline - virtual_now());
    fire_deadlines();
  }
  if (!wanted.polled || !wanted.external) return;
  if (outcome == StepOutcome::kTimeout && wanted.timed_out &&
      wanted.pending.outcome == StepOutcome::kReady) {
    wanted.pending.outcome = StepOutcome::kTimeout;
  }
  std::uint64_t patience = real_now() + kPatience;
  while (!as_recorded() && real_now() < patience) {
    sleep_outside(kIdleSlice);
    route_process_signals();
    for_each_polled(evaluate);
    give_up_if_asked();
  }
}

}  // namespace raddle
