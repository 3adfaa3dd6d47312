#include "target/sched/scheduler.hpp"

#include <algorithm>

#include "protocol/turns/idle_fairness.hpp"
#include "target/base/forgetting.hpp"
#include "target/code/instrumentation.hpp"
#include "target/outcome/enabled_log.hpp"
#include "target/sched/debugger.hpp"
#include "target/sched/decision.hpp"
#include "target/sched/replaying.hpp"
#include "target/sched/telling.hpp"
#include "target/snapshot/snapshot.hpp"
#include "target/state/value_log.hpp"
#include "target/stream/stack_names.hpp"

namespace raddle {

RADDLE_FORGOTTEN Object* g_evaluated_always;

void evaluate_always(Object* object) {
  g_evaluated_always = object;
  g_attention.evaluated_always = object != nullptr;
}

RADDLE_FORGOTTEN void (*g_before_deadlock)();

namespace {

constexpr std::uint64_t kOutsideInterval = 256;  // decisions between two looks at polled threads
constexpr std::uint64_t kIdleRounds = 8;  // of all enabled threads, before time jumps for them

// Every thread that can move was idle, and still only looks. Someone who does not stand by on
// purpose: a strategy lets another look on (protocol/turns/looking_on.hpp), and time stands still
// for both, but not for ever: no strategy has to be fair.
bool all_that_moves_is_idle() {
  if (g_idle_steps <= kIdleRounds * g_enabled_count) return false;
  if (g_idle_steps > 2 * kEndlessLooks) return true;
  return std::all_of(g_enabled.data(), g_enabled.data() + g_enabled_count, [](const Pending* p) {
    return idles(thread_of(p)) && (is_idle_op(p->op) || is_round_op(p->op));
  });
}

// memory_point() has already settled what came before the atomic operation it announces.
void settle_before(Thread& t, OpKind op, const Object* object) {
  if (object == nullptr || object->cls != ObjectClass::memory) settle_looks(t, op);
}

}  // namespace

void attend_to_announcement(Thread& t, OpKind op, Object* object) {
  if (t.looks > 0 || t.wrote_to != nullptr) settle_before(t, op, object);
  if (g_attention.places) tell_place(t, op, object);
  if (g_rounds_watched && is_idle_op(op)) note_round(t);
  note_place(t);
}

void note_place(Thread& thread) {
  if (g_attention.extra_work && plan().detail) note_site(thread);
}

void attend_to_world() {
  end_if_foreign();
  if (!g_time_stands_still || g_idle_steps > 0) advance_clock(kTick);
  if (earliest_deadline() != nullptr) fire_deadlines();
  if (any_polled() && (g_outside_changed || g_steps % kOutsideInterval == 0)) {
    g_outside_changed = false;
    for_each_polled(evaluate);
  }
  if (g_evaluated_always != nullptr) refresh(*g_evaluated_always);
}

void attend_to_choice() {
  if (!g_attention.extra_work) return;
  if (g_time_stands_still && all_that_moves_is_idle()) pass_idle_time();
  if (__builtin_expect(g_steps >= g_next_point, 0)) {
    if (pass_point(g_steps)) {
      go_on_for_plan();
    } else {
      g_next_point = next_point(g_steps);
    }
  }
  await_recorded();
  settle_value();
  if (plan().enabled_log) log_enabled(g_steps, {g_enabled.data(), g_enabled_count});
}

std::size_t choose_by_strategy() {
  const std::span<const Pending* const> enabled{g_enabled.data(), g_enabled_count};
  const View view{enabled, g_current->pending.thread, g_steps};
  const std::size_t index = g_strategy->choose(view);
  if (index < enabled.size()) return index;
  end_as_redundant();
  return g_strategy->choose(view);
}

void attend_to_chosen(Thread& next) {
  if (is_idle_op(next.pending.op)) {
    idles_on(next);
  } else if (g_attention.idling) {
    got_somewhere(next.pending.op);
  }
  if (!g_attention.extra_work) return;
  check_divergence();
  if (g_replay != nullptr) show_step(g_steps, next);
  if (plan().detail) note_step(next, g_steps);
  if (g_values_wanted) {
    const RaddleSite* site = described_site(next.pending.site);
    const bool known = site == nullptr || site->span != RADDLE_SPAN_OTHERS;
    log_value(g_steps, &next.pending, known);
  }
}

void end_at_step_limit() {
  // Who could have gone on is the group at the end, which is no choice of the step before.
  unlog_enabled(g_steps);
  end_at_limit("step limit reached; --max-steps raises it");
}

void decide(OpKind op, Object* object, std::uint64_t site, std::uint64_t extra) {
  decide_inline(op, object, site, extra);
}

Object* decide_lifetime(OpKind op, ObjectClass cls, const void* address, std::uint64_t site) {
  if (live_threads() <= 1) return find_object(cls, address);
  Object& object = object_at(cls, address, site);
  decide(op, &object, site);
  return &object;
}

StepOutcome wait(const WaitSpec& spec) { return wait_as(spec); }

StepOutcome wait_for(OpKind op, Object& object, Ready ready, std::uint64_t site) {
  return wait_for_inline(op, object, ready, site);
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
  if (g_steps >= g_max_steps) end_at_step_limit();
  if (g_values_wanted) log_value(g_steps, nullptr, true);
  append(step_word(thread, OpKind::value_choice, std::uint8_t(value), ObjectId{count}), 0,
         attention_wanted());
  return value;
}

void thread_created(Thread& thread) {
  g_strategy->on_create(thread.pending.thread);
  expect_thread(thread);
  set_enabled(thread, true);  // nobody has sent it anything, and it waits for nothing
}

void thread_begins(Thread& thread) {
  thread.begun = true;
  resumed(thread);
  // Sites are return addresses: one beyond it. Also where nothing is recorded: what lies on a stack
  // that the thread has yet to use must not depend on that.
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
  const bool attention = attention_wanted();
  Thread& next = log_chosen(choose_index(attention), attention);
  g_current = &next;
  use_mask_of(next);
  carrier().leave_to(thread, next);
}

void outside_changed() { g_outside_changed = true; }

}  // namespace raddle
