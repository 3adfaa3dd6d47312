// One decision, inline: from the announcement of an operation until it may be executed. Each call
// level between the program and the switch of fibers costs a return that the processor does not
// predict (carrier/fiber_switch.hpp). So the locks, which most decisions are about, have all of
// this in their interceptors; for others scheduler.cpp makes functions of it.
//
// What few executions need is not here: g_attention says whether this one does.
#pragma once

#include "target/carrier/carrier.hpp"
#include "target/carrier/fiber_switch.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/circumstances.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/deadlock.hpp"
#include "target/sched/decision_state.hpp"
#include "target/sched/enabled.hpp"
#include "target/sched/idle.hpp"
#include "target/sched/outside.hpp"
#include "target/sched/scheduler.hpp"
#include "target/state/attention.hpp"
#include "target/state/uncontrolled.hpp"
#include "target/state/waiters.hpp"
#include "target/stream/stream.hpp"
#include "target/unwind/stack.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

// What g_attention may ask for: before the running thread announces an operation, before the
// choice, when there is somebody to choose, and when somebody was chosen.
void attend_to_announcement(Thread& thread, OpKind op, Object* object);
void attend_to_world();
void attend_to_choice();
void attend_to_chosen(Thread& next);
// Where the thread is, if the plan wants that in its report.
void note_place(Thread& thread);

[[noreturn, gnu::cold]] void end_at_step_limit();

// Of strategies that are not inline here.
std::size_t choose_by_strategy();

#define RADDLE_ALWAYS_INLINE __attribute__((always_inline)) inline

// All of a StepRecord but its site, as the one word that it is in memory. Pending begins with the
// same word. It is written and read as a whole: a word that is stored in parts, or two that are
// loaded as one, make the processor wait until the parts have reached the cache.
RADDLE_ALWAYS_INLINE std::uint64_t step_word(ThreadId thread, OpKind op, std::uint8_t outcome,
                                             ObjectId object) {
  return raw(thread) | std::uint64_t(op) << 16 | std::uint64_t(outcome) << 24 |
         std::uint64_t(raw(object)) << 32;
}
static_assert(offsetof(StepRecord, op) == 2 && offsetof(Pending, op) == 2);
static_assert(offsetof(StepRecord, outcome) == 3 && offsetof(Pending, outcome) == 3);
static_assert(offsetof(StepRecord, object) == 4 && offsetof(Pending, object) == 4);
static_assert(offsetof(StepRecord, site) == 8 && offsetof(Pending, site) == 8);

RADDLE_ALWAYS_INLINE std::uint64_t announce(Pending& pending, OpKind op, ObjectId object) {
  const std::uint64_t word =
      step_word(pending.thread, op, std::uint8_t(StepOutcome::kReady), object);
  __builtin_memcpy(static_cast<void*>(&pending), &word, sizeof word);
  return word;
}

RADDLE_ALWAYS_INLINE std::uint64_t announced(const Pending& pending) {
  std::uint64_t word = 0;
  __builtin_memcpy(&word, &pending, sizeof word);
  asm("" : "+r"(word));  // by itself: the compiler would load the site with it
  return word;
}

// The record of a step, in the choice log.
RADDLE_ALWAYS_INLINE void append(std::uint64_t word, std::uint64_t site, bool attention) {
  SharedRegion& region = *g_region;
  const std::uint64_t step = g_steps;
  StepRecord& record = region.log()[step];
  __builtin_memcpy(static_cast<void*>(&record), &word, sizeof word);
  record.site = site;
  if (__builtin_expect(attention, 0) && g_attention.streamed) put_decision(record, step);
  g_steps = step + 1;
  region.live.steps.store(step + 1, std::memory_order_release);
}

// The decision itself: an index into g_enabled. `attention`: that attention_wanted().
RADDLE_ALWAYS_INLINE std::size_t choose_index(bool attention) {
  if (__builtin_expect(attention, 0)) {
    attend_to_world();
  } else {
    advance_clock(kTick);
  }
  std::uint32_t enabled = g_enabled_count;
  if (__builtin_expect(enabled == 0 || attention, 0)) {
    while (g_enabled_count == 0) wait_until_enabled();
    if (attention) attend_to_choice();
    enabled = g_enabled_count;
  }
  return __builtin_expect(g_random != nullptr, 1) ? g_random->choose_of(enabled)
                                                  : choose_by_strategy();
}

// The pending operation of the thread that was chosen is logged as executed.
RADDLE_ALWAYS_INLINE void log_step(Thread& next, OpKind op, std::uint64_t word, std::uint64_t site,
                                   bool attention) {
  // First: a recording that ended at a limit has no record of the step after it.
  if (__builtin_expect(g_steps >= g_max_steps, 0)) end_at_step_limit();
  if (__builtin_expect(attention || is_idle_op(op), 0)) attend_to_chosen(next);
  append(word, site, attention);
}

RADDLE_ALWAYS_INLINE Thread& log_chosen(std::size_t index, bool attention) {
  Thread& next = thread_of(g_enabled[index]);
  const Pending& p = next.pending;
  log_step(next, p.op, announced(p), p.site, attention);
  return next;
}

// It could have gone on. Who gives way on its own, or waits for a deadline that the adversarial
// clock could let come at once, is not interrupted.
inline bool is_preempted(const Thread& from) {
  return from.enabled_index >= 0 && !is_idle_op(from.pending.op) &&
         from.pending.outcome != StepOutcome::kTimeout;
}

// After the token came back to `thread`.
RADDLE_ALWAYS_INLINE void resumed(Thread& thread) {
  if (__builtin_expect(thread.capture != nullptr, 0)) show_stack(thread);
}

RADDLE_ALWAYS_INLINE void count(std::atomic<std::uint64_t>& counter, bool by) {
  counter.store(counter.load(std::memory_order_relaxed) + (by ? 1 : 0), std::memory_order_relaxed);
}

// To another thread; returns when the token comes back.
RADDLE_ALWAYS_INLINE void hand_over(Thread& from, Thread& to) {
  Live& live = g_region->live;
  count(live.switches, true);
  count(live.preemptions, is_preempted(from));
  g_current = &to;
  use_mask_of(to);
  if (__builtin_expect(g_fibers, 1)) {
    switch_fiber(from, to);  // not through the interface: see fiber_switch.hpp
  } else {
    carrier().switch_to(from, to);
  }
  resumed(from);
}

RADDLE_ALWAYS_INLINE StepOutcome outcome_of(std::uint64_t word) {
  return StepOutcome(std::uint8_t(word >> 24));
}

// After the current thread has announced `word`: gives the token to whom it belongs next. The
// thread is among the waiters of `object`, if that is not null, while others may look. Returns how
// the operation ends.
//
// Mostly the thread is chosen itself, at once. The processor finds that out sooner by the index
// than by what is there, and what the thread announced is still in registers.
RADDLE_ALWAYS_INLINE StepOutcome decision_point(Thread& thread, const WaitSpec& spec,
                                                std::uint64_t word, Object* object,
                                                bool attention) {
  thread.parked_at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const bool blocked = thread.enabled_index < 0;  // how its operation ends is not known yet
  const bool listed = object != nullptr && (blocked || attention);
  if (__builtin_expect(listed, 0)) enter_waiters(thread, *object);
  const std::size_t index = choose_index(attention);
  if (__builtin_expect(std::int32_t(index) == thread.enabled_index, 1)) {
    if (__builtin_expect(attention, 0)) word = announced(thread.pending);  // may end otherwise now
    log_step(thread, spec.op, word, spec.site, attention);
    if (__builtin_expect(listed, 0)) leave_waiters(thread);
    return __builtin_expect(blocked, 0) ? thread.pending.outcome : outcome_of(word);
  }
  Thread& next = log_chosen(index, attention);
  if (object != nullptr && !listed) enter_waiters(thread, *object);
  hand_over(thread, next);
  if (object != nullptr) leave_waiters(thread);
  return thread.pending.outcome;
}

// Nothing but its object keeps the thread's operation from being executed.
RADDLE_ALWAYS_INLINE bool waits_for_object_alone(const Thread& t) {
  return !t.cancellable && t.deadline == kNoDeadline && !has_signal(t);
}

// Evaluates the waiters of an object whose state has changed, as refresh() does, where most of them
// wait for `ready`, and whether that holds is known here.
RADDLE_ALWAYS_INLINE void refresh_for(Object& object, Ready ready, bool holds) {
  for (Thread* t = object.waiters_head; t != nullptr; t = t->wait_next) {
    if (t->ready != ready || !waits_for_object_alone(*t)) {
      evaluate(*t);
      continue;
    }
    set_outcome(*t, StepOutcome::kReady);
    set_enabled(*t, holds);
  }
}

// See scheduler.hpp. Inline wherever much of the specification is known: most of this is not there
// then. The specification itself is not either, as long as nobody is told its address.
RADDLE_ALWAYS_INLINE StepOutcome wait_as(const WaitSpec& spec) {
  Thread& t = self();
  // Whose waiters the thread is one of.
  Object* const waited_on = spec.ready != always ? spec.object : nullptr;
  bool attention = attention_wanted();
  if (__builtin_expect(t.looks > 0 || t.wrote_to != nullptr || attention, 0)) {
    attend_to_announcement(t, spec.op, spec.object);
    attention = attention_wanted();
  }
  for (;;) {
    std::uint64_t word =
        announce(t.pending, spec.op, spec.object != nullptr ? spec.object->id : kNoObject);
    t.pending.site = spec.site;
    t.pending.extra = spec.extra;
    t.pending.memory = spec.memory != 0         ? spec.memory
                       : spec.object != nullptr ? spec.object->memory
                                                : 0;
    t.ready = spec.ready;
    t.wait_data = spec.data;
    t.wait_data2 = spec.data2;
    t.cancellable = spec.cancellable;
    t.deadline = spec.deadline;
    t.timed_out = spec.deadline != kNoDeadline && spec.deadline <= virtual_now();
    t.polled = spec.polled;
    t.external = spec.external;
    if (waited_on != nullptr) t.waits_for = waited_on;  // `ready` may ask
    if (spec.deadline != kNoDeadline && !t.timed_out) {
      add_deadline(t);
      note_timed_wait();
      attention = true;
    }
    if (spec.polled) {
      t.fds = spec.fds;
      t.fd_count = spec.fd_count;
      add_polled(t);
      attention = true;
    }
    // What evaluate() does, in short where nothing but the object matters.
    if ((spec.cancellable && t.cancel_requested) || spec.deadline != kNoDeadline || has_signal(t)) {
      evaluate(t);
      word = announced(t.pending);
    } else {
      set_enabled(t, spec.ready == always || (spec.ready != nullptr && spec.ready(t)));
    }
    if (t.enabled_index < 0 && spec.deadline == kNoDeadline && !spec.polled) end_if_cycle(t);

    const StepOutcome outcome = decision_point(t, spec, word, waited_on, attention);

    if (waited_on != nullptr) t.waits_for = nullptr;
    if (spec.deadline != kNoDeadline) remove_deadline(t);
    if (spec.polled) remove_polled(t);
    // With the adversarial clock a wait may end before its time: then its time has come.
    // So it has if another one ended so shortly before that either may be first (idle.cpp).
    if (spec.deadline != kNoDeadline && outcome == StepOutcome::kTimeout &&
        spec.deadline > virtual_now()) {
      if (plan().clock != ClockKind::kSteady) note_early_timeout(t, spec.deadline);
      advance_clock(spec.deadline - virtual_now());
    }
    if (__builtin_expect(outcome != StepOutcome::kInterrupted, 1)) return outcome;
    const bool handled = deliver_signals(t);
    note_place(t);            // there again, after the handler
    t.wait_data = spec.data;  // the handler may have had operations of its own
    t.wait_data2 = spec.data2;
    const bool ready = spec.ready != nullptr && spec.ready(t);
    if (spec.interruptible && handled && !ready) return StepOutcome::kInterrupted;
    attention = attention_wanted();
  }
}

RADDLE_ALWAYS_INLINE void decide_inline(OpKind op, Object* object, std::uint64_t site,
                                        std::uint64_t extra = 0) {
  wait_as({.op = op, .object = object, .ready = always, .site = site, .extra = extra});
}

RADDLE_ALWAYS_INLINE StepOutcome wait_for_inline(OpKind op, Object& object, Ready ready,
                                                 std::uint64_t site) {
  return wait_as({.op = op, .object = &object, .ready = ready, .site = site});
}

#undef RADDLE_ALWAYS_INLINE

}  // namespace raddle
