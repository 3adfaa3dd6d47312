// A futex is nothing but the list of its waiters. A wait is two steps, like that of a condition
// variable: compare the word and join the waiters, then wake. Which waiters a wake-up reaches is
// the strategy's choice.
#include "target/intercept/sync/futex.hpp"

#include <errno.h>
#include <linux/futex.h>

#include "target/intercept/time/clocks.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/clock.hpp"
#include "target/sched/scheduler.hpp"
#include "target/state/waiters.hpp"
#include "target/stream/stream.hpp"

namespace {

using namespace raddle;

constexpr int kFutexLockPi2 = 13;  // newer than some headers

// --- Waiters. Thread::wait_data holds the bits it waits for. -----------------------------------

bool is_woken(Thread& t) { return t.signalled; }

bool matches(const Thread& t, std::uint32_t bits) {
  return !t.signalled && (std::uint32_t(t.wait_data) & bits) != 0;
}

std::uint32_t count_waiters(const Object& futex, std::uint32_t bits) {
  std::uint32_t n = 0;
  for (Thread* t = futex.waiters_head; t != nullptr; t = t->wait_next) n += matches(*t, bits);
  return n;
}

Thread& nth_waiter_for(const Object& futex, std::uint32_t bits, std::uint32_t n) {
  Thread* t = futex.waiters_head;
  for (;; t = t->wait_next) {
    if (matches(*t, bits) && n-- == 0) return *t;
  }
}

// Picks up to `limit` waiters and calls act() on each. Without a choice when it takes all of them.
template <class Act>
long for_some_waiters(Object& futex, std::uint32_t bits, long limit, Act act) {
  long done = 0;
  for (; done < limit; ++done) {
    std::uint32_t count = count_waiters(futex, bits);
    if (count == 0) break;
    bool all = limit - done >= long(count);
    act(nth_waiter_for(futex, bits, all ? 0 : choose_value(count)));
  }
  return done;
}

long wake_waiters(Object& futex, std::uint32_t bits, long limit) {
  return for_some_waiters(futex, bits, limit, [](Thread& t) { wake(t); });
}

// Moves a waiter to the end of another futex's waiters.
void requeue(Thread& t, Object& to) {
  leave_waiters(t);
  t.pending.object = to.id;
  enter_waiters(t, to);
}

// --- The operations. Results as the kernel's: negative errno on failure. ------------------------

Object& futex_at(const void* word, std::uint64_t site) {
  return object_at(ObjectClass::futex, word, site);
}

std::uint64_t bytes_of(const std::uint32_t* word) {
  return touched_bytes(reinterpret_cast<std::uint64_t>(word), sizeof(*word));
}

std::uint32_t load(const std::uint32_t* word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

bool is_bad_word(const std::uint32_t* word) {
  return (reinterpret_cast<std::uintptr_t>(word) & 3) != 0;
}

long futex_wait(const SystemCall& call, std::uint32_t bits, bool absolute) {
  if (bits == 0 || is_bad_word(call.word())) return -EINVAL;
  std::uint64_t deadline = kNoDeadline;
  if (const timespec* time = call.time()) {
    if (time->tv_sec < 0 || !valid_nanoseconds(*time)) return -EINVAL;
    bool realtime = (call.operation() & FUTEX_CLOCK_REALTIME) != 0;
    deadline = absolute ? deadline_at(realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, *time)
                        : deadline_after(*time);
  }
  Object& futex = futex_at(call.word(), call.site);
  decide(OpKind::futex_wait, &futex, call.site, bytes_of(call.word()));
  if (load(call.word()) != call.value()) return -EAGAIN;
  Thread& t = self();
  bool outer = t.signalled;  // when a signal handler waits inside another wait
  t.signalled = false;
  StepOutcome outcome = wait({.op = OpKind::futex_wait,
                              .object = &futex,
                              .ready = is_woken,
                              .data = std::int64_t(bits),
                              .deadline = deadline,
                              .interruptible = true,
                              .site = call.site,
                              .extra = bytes_of(call.word())});
  t.signalled = outer;
  switch (outcome) {
    case StepOutcome::kReady:
      note(EventKind::await, call.site, call.word());
      return 0;
    case StepOutcome::kTimeout:
      return -ETIMEDOUT;
    case StepOutcome::kInterrupted:
    case StepOutcome::kCancelled:
      return -EINTR;
  }
  return 0;
}

long futex_wake(const SystemCall& call, std::uint32_t bits) {
  if (bits == 0 || is_bad_word(call.word())) return -EINVAL;
  Object& futex = futex_at(call.word(), call.site);
  decide(OpKind::futex_wake, &futex, call.site, bytes_of(call.word()));
  note(EventKind::signal, call.site, call.word());
  int limit = int(call.value());
  const long woken =
      wake_waiters(futex, bits, limit < 1 ? 1 : limit);  // the kernel wakes one for 0, too
  let_others(call.site);
  return woken;
}

long futex_requeue(const SystemCall& call, bool compare) {
  int wakes = int(call.value());
  int moves = call.count2();
  if (wakes < 0 || moves < 0 || is_bad_word(call.word()) || is_bad_word(call.word2())) {
    return -EINVAL;
  }
  Object& from = futex_at(call.word(), call.site);
  Object& to = futex_at(call.word2(), call.site);
  decide(OpKind::futex_wake, &from, call.site);
  note(EventKind::signal, call.site, call.word());
  if (compare && load(call.word()) != call.value3()) return -EAGAIN;
  long woken = wake_waiters(from, FUTEX_BITSET_MATCH_ANY, wakes);
  if (&from == &to) {
    long rest = count_waiters(from, FUTEX_BITSET_MATCH_ANY);
    return woken + (rest < moves ? rest : moves);
  }
  return woken + for_some_waiters(from, FUTEX_BITSET_MATCH_ANY, moves,
                                  [&to](Thread& t) { requeue(t, to); });
}

// Sign-extended 12-bit field of FUTEX_WAKE_OP's third value.
int field_of(std::uint32_t value, int shift) { return int(value << (20 - shift)) >> 20; }

bool apply(std::uint32_t* word, std::uint32_t encoded, std::uint32_t& old) {
  auto operand = std::uint32_t(field_of(encoded, 12));
  unsigned operation = encoded >> 28;
  if ((operation & FUTEX_OP_OPARG_SHIFT) != 0) operand = std::uint32_t{1} << (operand & 31);
  switch (operation & 7) {
    case FUTEX_OP_SET:
      old = __atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST);
      return true;
    case FUTEX_OP_ADD:
      old = __atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST);
      return true;
    case FUTEX_OP_OR:
      old = __atomic_fetch_or(word, operand, __ATOMIC_SEQ_CST);
      return true;
    case FUTEX_OP_ANDN:
      old = __atomic_fetch_and(word, ~operand, __ATOMIC_SEQ_CST);
      return true;
    case FUTEX_OP_XOR:
      old = __atomic_fetch_xor(word, operand, __ATOMIC_SEQ_CST);
      return true;
    default:
      return false;
  }
}

bool compares(std::uint32_t encoded, int old, bool& result) {
  int operand = field_of(encoded, 0);
  switch ((encoded >> 24) & 15) {
    case FUTEX_OP_CMP_EQ:
      result = old == operand;
      return true;
    case FUTEX_OP_CMP_NE:
      result = old != operand;
      return true;
    case FUTEX_OP_CMP_LT:
      result = old < operand;
      return true;
    case FUTEX_OP_CMP_GE:
      result = old >= operand;
      return true;
    case FUTEX_OP_CMP_LE:
      result = old <= operand;
      return true;
    case FUTEX_OP_CMP_GT:
      result = old > operand;
      return true;
    default:
      return false;
  }
}

long futex_wake_op(const SystemCall& call) {
  if (is_bad_word(call.word()) || is_bad_word(call.word2())) return -EINVAL;
  Object& first = futex_at(call.word(), call.site);
  Object& second = futex_at(call.word2(), call.site);
  decide(OpKind::futex_wake, &first, call.site);
  note(EventKind::signal, call.site, call.word());
  std::uint32_t old = 0;
  bool wake_second = false;
  if (!apply(call.word2(), call.value3(), old)) return -ENOSYS;
  if (!compares(call.value3(), int(old), wake_second)) return -ENOSYS;
  int limit = int(call.value());
  long woken = wake_waiters(first, FUTEX_BITSET_MATCH_ANY, limit < 1 ? 1 : limit);
  if (wake_second) {
    int limit2 = call.count2();
    woken += wake_waiters(second, FUTEX_BITSET_MATCH_ANY, limit2 < 1 ? 1 : limit2);
  }
  return woken;
}

}  // namespace

bool raddle::futex(const SystemCall& call, long& result) {
  switch (call.operation() & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      result = futex_wait(call, FUTEX_BITSET_MATCH_ANY, false);
      return true;
    case FUTEX_WAIT_BITSET:
      result = futex_wait(call, call.value3(), true);
      return true;
    case FUTEX_WAKE:
      result = futex_wake(call, FUTEX_BITSET_MATCH_ANY);
      return true;
    case FUTEX_WAKE_BITSET:
      result = futex_wake(call, call.value3());
      return true;
    case FUTEX_REQUEUE:
      result = futex_requeue(call, false);
      return true;
    case FUTEX_CMP_REQUEUE:
      result = futex_requeue(call, true);
      return true;
    case FUTEX_WAKE_OP:
      result = futex_wake_op(call);
      return true;
    case FUTEX_LOCK_PI:
    case kFutexLockPi2:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_CMP_REQUEUE_PI:
      end_with(OutcomeKind::kInconclusive, self(),
               "the program locks a futex with priority inheritance (FUTEX_LOCK_PI), which Raddle "
               "does not control");
    default:  // FUTEX_UNLOCK_PI, FUTEX_TRYLOCK_PI do not block
      return false;
  }
}
