#include "target/sched/enabled.hpp"

#include "protocol/long_timeout.hpp"
#include "target/base/forgetting.hpp"
#include "target/sched/clock.hpp"
#include "target/state/execution.hpp"

namespace raddle {

RADDLE_FORGOTTEN GrowingArray<const Pending*> g_enabled;
RADDLE_FORGOTTEN std::uint32_t g_enabled_count;

namespace {

bool cancel_due(const Thread& t) {
  return t.cancellable && t.cancel_requested && !t.cancel_disabled && !t.exiting;
}

// Before its time, if the clock says so.
bool may_come_early(std::uint64_t deadline) {
  switch (plan().clock) {
    case ClockKind::kSteady:
      return false;
    case ClockKind::kAdversarial:
      return true;
    case ClockKind::kHasty:
      return deadline < virtual_now() || !is_long_timeout(deadline - virtual_now());
  }
  return false;
}

}  // namespace

void evaluate(Thread& t) {
  StepOutcome outcome = StepOutcome::kReady;
  bool enabled = true;
  if (cancel_due(t)) {
    outcome = StepOutcome::kCancelled;
  } else if (has_signal(t)) {
    outcome = StepOutcome::kInterrupted;
  } else if (t.ready != nullptr && t.ready(t)) {
    outcome = StepOutcome::kReady;
  } else if (t.timed_out || (t.deadline != kNoDeadline && may_come_early(t.deadline))) {
    outcome = StepOutcome::kTimeout;
  } else {
    enabled = false;
  }
  set_outcome(t, outcome);
  set_enabled(t, enabled);
}

void fire_deadlines(std::uint64_t slack) {
  for (Thread* t = earliest_deadline(); t != nullptr && t->deadline <= virtual_now() + slack;
       t = earliest_deadline()) {
    remove_deadline(*t);
    t->timed_out = true;
    evaluate(*t);
  }
}

}  // namespace raddle
