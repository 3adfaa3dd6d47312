#include "target/sched/scheduler.hpp"

#include <string.h>
#include <sys/syscall.h>

#include "target/base/forgetting.hpp"
#include "target/carrier/carrier.hpp"
#include "target/carrier/fiber_switch.hpp"
#include "target/code/instrumentation.hpp"
#include "target/outcome/enabled_log.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/deadlock.hpp"
#include "target/sched/enabled.hpp"
#include "target/sched/idle.hpp"
#include "target/sched/outside.hpp"
#include "target/sched/replaying.hpp"
#include "target/state/heap_blocks.hpp"
#include "target/strategy/guided.hpp"
#include "target/strategy/holding.hpp"
#include "target/strategy/replay.hpp"
#include "target/stream/stack_names.hpp"
#include "target/stream/stream.hpp"
#include "target/unwind/atomic_blocks.hpp"
#include "target/unwind/stack.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

bool g_locks_matter;
bool g_others_first;

namespace {

constexpr std::uint64_t kOutsideInterval = 256;  // decisions between two looks at polled threads
constexpr std::uint64_t kIdleRounds = 8;  // of all enabled threads, before time jumps for them

bool g_fibers;  // the carrier is that of fibers
Strategy* g_strategy;
std::uint64_t g_steps;
std::uint64_t g_max_steps;
bool g_places;  // the strategy may want to know where threads are
bool g_outside_changed;
bool g_time_stands_still;
bool g_attended;  // more is wanted of a decision than the choice: see attend()

__attribute__((always_inline)) inline void check_limits(const Thread& next) {
  if (g_steps >= g_max_steps) end_at_limit("step limit reached; --max-steps raises it");
  if (is_idle_op(next.pending.op)) {
    idles_on(next);
  } else if (g_idling) {
    got_somewhere(next.pending.op, exploring());
  }
}

// Inline, as is what else a decision consists of: see carrier/fiber_switch.hpp.
__attribute__((always_inline)) inline void append(const StepRecord& record) {
  g_region->log()[g_steps] = record;
  note_decision(record, g_steps);
  g_region->live.steps.store(++g_steps, std::memory_order_release);
}

// What few plans ask for, before the choice.
__attribute__((noinline)) void attend() {
  if (g_time_stands_still && g_idle_steps > kIdleRounds * g_enabled_count) pass_idle_time();
  await_recorded();
  if (plan().enabled_log) log_enabled(g_steps, {g_enabled.data(), g_enabled_count});
}

// And after it.
__attribute__((noinline)) void attend_to(Thread& next) {
  check_divergence();
  if (plan().detail) note_step(next, g_steps);
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
  while (g_enabled_count == 0) wait_until_enabled();
  if (g_attended) attend();
  std::span<const Pending* const> enabled{g_enabled.data(), g_enabled_count};
  std::size_t index = g_strategy->choose({enabled, g_current->pending.thread, g_steps});
  if (index == enabled.size()) end_as_redundant();
  Thread& next = thread_of(g_enabled[index]);
  // First: a recording that ended at a limit has no record of the step after it.
  check_limits(next);
  if (g_attended) attend_to(next);
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
__attribute__((always_inline)) inline void point(Thread& thread) {
  if (g_attended && plan().detail) note_site(thread);
  thread.parked_at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  hand_over(thread, choose_next());
}

bool involves_others(OpKind op) {
  return op == OpKind::thread_create || op == OpKind::thread_join || op == OpKind::cond_wait ||
         op == OpKind::sem_wait || op == OpKind::barrier_wait || op == OpKind::futex_wait;
}

// Before the operation is announced.
void tell_place(Thread& t, OpKind op, Object* object) {
  Place place{t.scope_context, false};
  if ((plan().atomic_blocks & kBlocksFrames) != 0) {
    if (is_acquisition(op) && object != nullptr) {
      place.again = takes_lock_again(t, *object);
    } else if (op == OpKind::cond_wake) {
      note_condition_wake(t);
    } else if (involves_others(op)) {
      note_wait_for_others(t);
    }
  }
  g_strategy->on_place(t.pending.thread, place);
}

void enter_waiters(Thread& t, Object& object) {
  t.waits_for = &object;
  t.wait_next = nullptr;
  t.wait_prev = object.waiters_tail;
  (object.waiters_tail != nullptr ? object.waiters_tail->wait_next : object.waiters_head) = &t;
  object.waiters_tail = &t;
}

void leave_waiters(Thread& t) {
  Object& object = *t.waits_for;
  (t.wait_prev != nullptr ? t.wait_prev->wait_next : object.waiters_head) = t.wait_next;
  (t.wait_next != nullptr ? t.wait_next->wait_prev : object.waiters_tail) = t.wait_prev;
  t.waits_for = nullptr;
}

// memory_point() has already settled what came before the atomic operation it announces.
void settle_before(Thread& t, OpKind op, const Object* object) {
  if (object == nullptr || object->cls != ObjectClass::memory) settle_atomics(t, op);
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
  if (__builtin_expect(g_places, 0)) tell_place(t, spec.op, spec.object);
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
    if (spec.deadline != kNoDeadline && !t.timed_out) add_deadline(t);
    if (spec.polled) add_polled(t);
    announce(t, spec);
    if (t.enabled_index < 0 && spec.deadline == kNoDeadline && !spec.polled) end_if_cycle(t);

    point(t);

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
    const bool ready = spec.ready != nullptr && spec.ready(t);
    if (spec.interruptible && handled && !ready) return StepOutcome::kInterrupted;
  }
}

ReplayMode replay_mode(const Plan& plan) {
  if (plan.replay_strict) return ReplayMode::kStrict;
  return plan.prefix_checked ? ReplayMode::kPrefix : ReplayMode::kLoose;
}

}  // namespace

bool exploring() { return g_time_stands_still; }

void decide(OpKind op, Object* object, std::uint64_t site, std::uint64_t extra) {
  wait_as({.op = op, .object = object, .ready = always, .site = site, .extra = extra});
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
  if (g_steps >= g_max_steps) end_at_limit("step limit reached; --max-steps raises it");
  append({thread, OpKind::value_choice, std::uint8_t(value), ObjectId{count}, 0});
  return value;
}

void tell_lock(const Object& lock, bool taken) {
  g_strategy->on_lock(g_current->pending.thread, lock.id, taken);
  g_locks_matter = g_strategy->hears_of_locks();
}

void block_changed(bool entered) { g_strategy->on_block(g_current->pending.thread, entered); }

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

void prepare_scheduler(SharedRegion& region) {
  g_region = &region;
  const Plan& p = region.plan;
  g_max_steps =
      p.max_steps == 0 || p.max_steps > region.log_capacity ? region.log_capacity : p.max_steps;

  const StrategyEntry* entry = find_strategy(p.strategy);
  if (entry == nullptr) fatal("the plan names a strategy that this runtime does not have");
  g_strategy = make_strategy(*entry, p, arena_allocate);
  start_idleness();
  g_others_first = p.decide == DecideKind::kEvery && !is_instrumented();
  g_places = (p.atomic_blocks & kBlocksFrames) != 0 || p.aims > 0;
  if (p.aims > kMaxAims) fatal("the plan names more aims than the region holds");
  g_strategy->brief({region.aims, p.aims}, region.realised);
  if (p.replay_steps > region.replay_capacity) fatal("the replay log is longer than its region");
  if (p.replay_turns) {
    g_strategy = make_guided({region.replay_log(), p.replay_steps}, arena_allocate);
  } else if (p.replay_steps > 0) {
    g_replay = new (arena_allocate(sizeof(Replay)))
        Replay({region.replay_log(), p.replay_steps}, replay_mode(p), *g_strategy);
    g_strategy = g_replay;
  }
  g_time_stands_still = entry->time_stands_still && !p.replay_turns;
  g_attended = g_replay != nullptr || p.enabled_log || p.detail || g_time_stands_still;
  g_locks_matter = true;
  g_fibers = p.carrier == CarrierKind::kFiber;
  use_carrier(p.carrier);
}

void start_main(Thread& main) {
  g_current = &main;
  g_region->live.state.store(RunState::kRunning, std::memory_order_release);
  evaluate(main);
  if (plan().detail) watch_heap();
  start_stream(*g_region);
  g_active = true;
}

void start_scheduler(SharedRegion& region) {
  prepare_scheduler(region);
  Thread& main = add_thread(nullptr);
  main.begun = true;
  main.mask = initial_mask();
  main.handle = reinterpret_cast<pthread_t>(thread_pointer());
  main.thread_pointer = thread_pointer();
  carrier().adopt_main(main);
  region.live.pid.store(std::int32_t(raw_syscall(SYS_getpid)), std::memory_order_relaxed);
  region.live.kernel_tid.store(std::int32_t(raw_syscall(SYS_gettid)), std::memory_order_relaxed);
  start_main(main);
  note(EventKind::thread_begin, 0, std::uint64_t{0});
}

namespace {

void forget_schedule() {
  g_strategy = nullptr;
  g_replay = nullptr;
  g_steps = 0;
  g_outside_changed = false;
}
RADDLE_FORGETS(forget_schedule)

}  // namespace

}  // namespace raddle
