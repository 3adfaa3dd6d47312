#include "target/sched/scheduler.hpp"

#include "target/carrier/carrier.hpp"
#include "target/carrier/fiber_switch.hpp"
#include "target/code/instrumentation.hpp"
#include "target/outcome/enabled_log.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/deadlock.hpp"
#include "target/sched/debugger.hpp"
#include "target/sched/decision_state.hpp"
#include "target/sched/enabled.hpp"
#include "target/sched/idle.hpp"
#include "target/sched/outside.hpp"
#include "target/sched/replaying.hpp"
#include "target/sched/telling.hpp"
#include "target/state/uncontrolled.hpp"
#include "target/state/value_log.hpp"
#include "target/state/waiters.hpp"
#include "target/stream/stack_names.hpp"
#include "target/stream/stream.hpp"
#include "target/unwind/stack.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

Object* g_evaluated_always;
void (*g_before_deadlock)();

namespace {

constexpr std::uint64_t kOutsideInterval = 256;  // decisions between two looks at polled threads
constexpr std::uint64_t kIdleRounds = 8;  // of all enabled threads, before time jumps for them

__attribute__((always_inline)) inline void check_limits(Thread& next) {
  if (g_steps >= g_max_steps) end_at_limit("step limit reached; --max-steps raises it");
  if (is_idle_op(next.pending.op)) {
    idles_on(next);
  } else if (g_idling) {
    got_somewhere(next.pending.op);
  }
}

// Inline, as is what else a decision consists of: see carrier/fiber_switch.hpp.
__attribute__((always_inline)) inline void append(const StepRecord& record) {
  g_region->log()[g_steps] = record;
  note_decision(record, g_steps);
  g_region->live.steps.store(++g_steps, std::memory_order_release);
}

// What few plans ask for, before the choice.
__attribute__((noinline)) void extra_work_before_choice() {
  if (g_time_stands_still && g_idle_steps > kIdleRounds * g_enabled_count) pass_idle_time();
  await_recorded();
  settle_value();
  if (plan().enabled_log) log_enabled(g_steps, {g_enabled.data(), g_enabled_count});
}

// And after it.
__attribute__((noinline)) void extra_work_after_choice(Thread& next) {
  check_divergence();
  if (g_replay != nullptr) show_step(g_steps, next);
  if (plan().detail) note_step(next, g_steps);
  if (g_values_wanted) {
    const RaddleSite* site = described_site(next.pending.site);
    const bool known = site == nullptr || site->span != RADDLE_SPAN_OTHERS;
    log_value(g_steps, &next.pending, known);
  }
}

// The decision itself: who is next. Its pending operation is logged as executed.
__attribute__((always_inline)) inline Thread& choose_next() {
  end_if_foreign();
  if (!g_time_stands_still || g_idle_steps > 0) advance_clock(kTick);
  if (earliest_deadline() != nullptr) fire_deadlines();
  if (any_polled() && (g_outside_changed || g_steps % kOutsideInterval == 0)) {
    g_outside_changed = false;
    for_each_polled(evaluate);
  }
  if (__builtin_expect(g_evaluated_always != nullptr, 0)) refresh(*g_evaluated_always);
  while (g_enabled_count == 0) wait_until_enabled();
  if (g_extra_work) extra_work_before_choice();
  std::span<const Pending* const> enabled{g_enabled.data(), g_enabled_count};
  const View view{enabled, g_current->pending.thread, g_steps};
  std::size_t index = g_strategy->choose(view);
  if (index == enabled.size()) {
    end_as_redundant();
    index = g_strategy->choose(view);
  }
  Thread& next = thread_of(g_enabled[index]);
  // First: a recording that ended at a limit has no record of the step after it.
  check_limits(next);
  if (g_extra_work) extra_work_after_choice(next);
  const Pending& p = next.pending;
  append({p.thread, p.op, std::uint8_t(p.outcome), p.object, p.site});
  return next;
}

// After the token came back to `thread`.
__attribute__((always_inline)) inline void resumed(Thread& thread) {
  g_current = &thread;
  if (thread.capture != nullptr) show_stack(thread);
}

// It could have gone on. Who gives way on its own, or waits for a deadline that the adversarial
// clock could let come at once, is not interrupted.
bool is_preempted(const Thread& from) {
  return from.enabled_index >= 0 && !is_idle_op(from.pending.op) &&
         from.pending.outcome != StepOutcome::kTimeout;
}

__attribute__((always_inline)) inline void hand_over(Thread& from, Thread& to) {
  if (&from == &to) return;
  auto& switches = g_region->live.switches;
  switches.store(switches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (is_preempted(from)) {
    auto& preemptions = g_region->live.preemptions;
    preemptions.store(preemptions.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  g_current = &to;
  use_mask_of(to);
  if (g_fibers) {
    switch_fiber(from, to);  // not through the interface: see fiber_switch.hpp
  } else {
    carrier().switch_to(from, to);
  }
  resumed(from);
}

// Announces the pending operation of the current thread and gives the token to whom it belongs
// next.
__attribute__((always_inline)) inline void decision_point(Thread& thread) {
  if (g_extra_work && plan().detail) note_site(thread);
  thread.parked_at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  hand_over(thread, choose_next());
}

// memory_point() has already settled what came before the atomic operation it announces.
void settle_before(Thread& t, OpKind op, const Object* object) {
  if (object == nullptr || object->cls != ObjectClass::memory) settle_looks(t, op);
}

// The calling thread's operation is pending from here on. What evaluate() does, in short where
// nothing but the object can keep it from being executed.
__attribute__((always_inline)) inline void announce(Thread& t, const WaitSpec& spec) {
  if (spec.cancellable || spec.deadline != kNoDeadline || (t.signals & ~t.mask) != 0)
    return evaluate(t);
  t.pending.outcome = StepOutcome::kReady;
  set_enabled(t, spec.ready == always || (spec.ready != nullptr && spec.ready(t)));
}

// Inline wherever much of the specification is known: most of this is not there then. The
// specification itself is not either, as long as nobody is told its address.
__attribute__((always_inline)) inline StepOutcome wait_as(const WaitSpec& spec) {
  Thread& t = self();
  const bool blocking = spec.ready != always;
  if (__builtin_expect(t.looks > 0 || t.wrote_to != nullptr, 0))
    settle_before(t, spec.op, spec.object);
  if (__builtin_expect(g_tells_places, 0)) tell_place(t, spec.op, spec.object);
  if (__builtin_expect(g_rounds_watched, 0) && is_idle_op(spec.op)) note_round(t);
  for (;;) {
    t.pending.op = spec.op;
    t.pending.object = spec.object != nullptr ? spec.object->id : kNoObject;
    t.pending.site = spec.site;
    t.pending.extra = spec.extra;
    t.ready = spec.ready;
    t.wait_data = spec.data;
    t.wait_data2 = spec.data2;
    t.cancellable = spec.cancellable;
    t.deadline = spec.deadline;
    t.timed_out = spec.deadline != kNoDeadline && spec.deadline <= virtual_now();
    t.polled = spec.polled;
    t.external = spec.external;
    t.fds = spec.fds;
    t.fd_count = spec.fd_count;
    if (blocking && spec.object != nullptr) enter_waiters(t, *spec.object);
    if (spec.deadline != kNoDeadline && !t.timed_out) {
      add_deadline(t);
      note_timed_wait();
    }
    if (spec.polled) add_polled(t);
    announce(t, spec);
    if (t.enabled_index < 0 && spec.deadline == kNoDeadline && !spec.polled) end_if_cycle(t);

    decision_point(t);

    if (blocking && spec.object != nullptr) leave_waiters(t);
    if (spec.deadline != kNoDeadline) remove_deadline(t);
    if (spec.polled) remove_polled(t);
    // With the adversarial clock a wait may end before its time: then its time has come.
    if (spec.deadline != kNoDeadline && t.pending.outcome == StepOutcome::kTimeout &&
        spec.deadline > virtual_now()) {
      advance_clock(spec.deadline - virtual_now());
    }
    if (t.pending.outcome != StepOutcome::kInterrupted) return t.pending.outcome;
    const bool handled = deliver_signals(t);
    t.wait_data = spec.data;  // the handler may have had operations of its own
    t.wait_data2 = spec.data2;
    const bool ready = spec.ready != nullptr && spec.ready(t);
    if (spec.interruptible && handled && !ready) return StepOutcome::kInterrupted;
  }
}

}  // namespace

void decide(OpKind op, Object* object, std::uint64_t site, std::uint64_t extra) {
  wait_as({.op = op, .object = object, .ready = always, .site = site, .extra = extra});
}

Object* decide_lifetime(OpKind op, ObjectClass cls, const void* address, std::uint64_t site) {
  if (live_threads() <= 1) return find_object(cls, address);
  Object& object = object_at(cls, address, site);
  decide(op, &object, site);
  return &object;
}

StepOutcome wait(const WaitSpec& spec) { return wait_as(spec); }

StepOutcome wait_for(OpKind op, Object& object, Ready ready, std::uint64_t site) {
  return wait_as({.op = op, .object = &object, .ready = ready, .site = site});
}

void evaluate_waiters(Object& object) {
  for (Thread* t = object.waiters_head; t != nullptr; t = t->wait_next) evaluate(*t);
}

void wake(Thread& thread) {
  thread.signalled = true;
  evaluate(thread);
}

void reconsider(Thread& thread) {
  if (!thread.finished && &thread != g_current) evaluate(thread);
}

std::uint32_t choose_value(std::uint32_t count) {
  if (count <= 1) return 0;
  if (count > 255) count = 255;  // one byte in the log; more waiters than that are alike
  ThreadId thread = g_current->pending.thread;
  if (plan().enabled_log) log_enabled(g_steps, {});
  std::uint32_t value = g_strategy->choose_value(thread, count);
  check_divergence();
  if (g_replay != nullptr) show_step(g_steps, *g_current);
  if (g_steps >= g_max_steps) end_at_limit("step limit reached; --max-steps raises it");
  if (g_values_wanted) log_value(g_steps, nullptr, true);
  append({thread, OpKind::value_choice, std::uint8_t(value), ObjectId{count}, 0});
  return value;
}

void thread_created(Thread& thread) {
  g_strategy->on_create(thread.pending.thread);
  evaluate(thread);
}

void thread_begins(Thread& thread) {
  thread.begun = true;
  resumed(thread);
  // Sites are return addresses: one beyond it.
  note(EventKind::thread_begin, reinterpret_cast<std::uint64_t>(thread.start) + 1,
       thread_key(thread));
}

void finish_thread(Thread& thread) {
  retire_thread(thread);
  set_enabled(thread, false);
  end_idleness();
  if (thread.stack_low != 0)
    forget_range(reinterpret_cast<void*>(thread.stack_low), thread.stack_size);
  refresh(thread.self);
  note(EventKind::thread_end, 0, std::uint64_t{0});
  Thread& next = choose_next();
  g_current = &next;
  use_mask_of(next);
  carrier().leave_to(thread, next);
}

void outside_changed() { g_outside_changed = true; }

}  // namespace raddle
