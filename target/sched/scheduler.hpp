// The scheduler: one token, one decision point, and why that is enough.
//
// The token. Exactly one program thread runs at a time: g_current, who holds the token. All others
// are parked inside hand_over() of scheduler.cpp, each at its last decision point, or at their
// entry. So the runtime needs no locks and no atomics for its own state, and everything that one
// thread did happened before everything that the next one does.
//
// Pending, enabled, decision. Before a thread does anything that another thread could notice, its
// interceptor announces it as the thread's *pending operation*: what, on which object, from where
// (Thread::pending), and under which condition it can be executed (Ready). A thread is *enabled* if
// its pending operation can end now: executed, timed out, interrupted, cancelled. A *decision*
// takes the enabled threads and asks the strategy for one of them; the choice goes to the choice
// log; the token goes to that thread, which executes its operation and runs on to its next
// announcement.
//
//   decide(op, object, site)   a decision point before an operation that can always be executed;
//   wait(spec)                 the same for one that may have to wait. Returns how it ended.
//
// Between that return and the next call here nobody else runs. An interceptor therefore reads and
// changes objects as if it were alone, and calls refresh() for each object whose waiters may now be
// able (or no longer able) to move.
//
// Why a blocked thread is never chosen. The strategy sees the enabled set and nothing else. A
// thread is in it only while evaluate() says so. What evaluate() depends on changes in few places,
// and each of them evaluates again: the object (refresh), the thread's own flags (reconsider,
// wake), virtual time (fire_deadlines), the world outside (for_each_polled, at every
// kOutsideInterval-th decision and whenever outside_changed()). Nothing runs between the choice and
// the operation, so what was true when the thread was chosen is true when it executes: no operation
// is tried in vain. (What another process takes away in between, from a pipe say, is announced and
// awaited again.)
//
// Why deadlock is exact. If no thread is enabled, nothing inside the process can change any more:
// only running threads change objects, and none runs. What is left is time (a deadline), the
// outside (a polled wait that is external) and what the runtime cannot see (a timer of the kernel,
// a foreign thread). wait_until_enabled() waits for these while there are any. If there are none it
// has proved that nothing will ever move, and says deadlock: never too early, never missed. A cycle
// of locks needs no such proof. Only its owner may release a lock, so end_if_cycle() reports the
// cycle when its last wait begins, whatever other threads still do.
//
// Why the same plan gives the same execution, on both carriers. An execution is decided by what the
// strategy returns and by what the program does between two decisions. The strategy depends on the
// plan and on what it is told (strategy/strategy.hpp): thread and object numbers in order of first
// use, never addresses; the enabled set in an order that follows from the decisions before. The
// program between two decisions is sequential code. Its clocks, random numbers and waits come from
// the runtime: virtual time, the plan's seed. What the outside decided is in the log, and a replay
// waits for the same (replaying.hpp). A carrier only moves the token: it takes no decision and no
// part in the order, so fibers and kernel threads give the same choice log.
//
// What must never happen in between:
//   - two threads run at once, the runtime's own code included. A kernel thread that begins or ends
//     is waited for (carrier/kernel.cpp); a foreign thread that calls in ends the execution.
//   - a handler of the program runs inside the runtime. It waits until the RuntimeScope ends, or
//     until its thread's wait delivers it.
//   - a thread that holds the token blocks in the kernel: with fibers all would stand still.
//     Interceptors try without blocking, and park the thread (WaitSpec::polled).
//   - something that others can notice changes, with no decision point before it. A plain access
//     that never races is no such thing: synchronisation decides what it sees.
//   - a decision depends on real time, on an address, or on whom the kernel wakes first.
//
// All functions here are called on a controlled thread that holds the token, inside a RuntimeScope.
#pragma once

#include <cstdint>

#include "protocol/shared_region.hpp"
#include "target/carrier/signal_mask.hpp"
#include "target/sched/signal_delivery.hpp"
#include "target/state/foreign_threads.hpp"
#include "target/state/thread.hpp"
#include "target/state/threads.hpp"

namespace raddle {

// Every interceptor that sees controlled() holds one of these until it returns to the program.
class RuntimeScope {
 public:
  RuntimeScope() { g_in_runtime = 1; }
  ~RuntimeScope() { leave(); }
  RuntimeScope(const RuntimeScope&) = delete;
  RuntimeScope& operator=(const RuntimeScope&) = delete;
  // Lets the program go on, after what arrived meanwhile was delivered.
  __attribute__((always_inline)) static void leave() {
    g_in_runtime = 0;
    // In this order: a signal that comes in between finds the thread outside the runtime already.
    asm volatile("" : : : "memory");
    if (__builtin_expect(g_signals_due, 0)) deliver_due_signals();
  }
};

// `extra` is Pending::extra: what else the operation touches.
void decide(OpKind op, Object* object, std::uint64_t site, std::uint64_t extra = 0);

// What the running thread did has let others go on (a release, a signal, a new thread): with
// DecideKind::kEvery, these may do so before it does anything else.
extern bool g_others_first;
inline void let_others(std::uint64_t site) {
  if (__builtin_expect(g_others_first, 0)) decide(OpKind::go_on, nullptr, site);
}

// The program makes or destroys an object at that address, which other threads may be about to
// use: whether they come before or after is a matter of the schedule. While there are no others,
// this is no decision. The object, or null if nobody has used it.
Object* decide_lifetime(OpKind op, ObjectClass cls, const void* address, std::uint64_t site);

struct WaitSpec {
  OpKind op;
  Object* object =
      nullptr;            // whose refresh() re-evaluates `ready`; null for time or the kernel alone
  Ready ready = nullptr;  // null: never by itself (a sleep)
  std::int64_t data = 0;  // for `ready`, as Thread::wait_data, wait_data2
  std::int64_t data2 = 0;
  std::uint64_t deadline = kNoDeadline;
  bool interruptible = false;  // a signal handler that ran ends it (EINTR)
  bool cancellable = false;    // a cancellation point
  bool polled = false;         // `ready` asks the kernel; `fds` say what to sleep on
  bool external = false;       // with polled: somebody outside this process can make it ready
  pollfd* fds = nullptr;
  std::uint32_t fd_count = 0;
  std::uint64_t site = 0;
  std::uint64_t extra = 0;   // Pending::extra
  std::uint64_t memory = 0;  // Pending::memory; 0: where the object lies
};

// kReady: `ready` holds and the operation is to be executed now. kTimeout, kInterrupted, kCancelled
// only as the spec allows; after kCancelled clean up and call cancel_now().
StepOutcome wait(const WaitSpec& spec);

// The same for what waits for its object alone: no deadline, no cancellation. With decide() this is
// what most decisions are; neither builds a WaitSpec.
StepOutcome wait_for(OpKind op, Object& object, Ready ready, std::uint64_t site);

void evaluate_waiters(Object& object);

// Its waiters' readiness depends on what other threads wait for: it is evaluated again at every
// decision. Null: there is none.
extern Object* g_evaluated_always;
void evaluate_always(Object* object);

// Called before a deadlock is reported that is no cycle of locks. It may end the execution with a
// better reason. Null: nobody has one.
extern void (*g_before_deadlock)();

// The object changed: its waiters' readiness is evaluated again.
inline void refresh(Object& object) {
  if (object.waiters_head != nullptr) evaluate_waiters(object);
}

// Wakes the thread from a wait on a condition or futex: sets `signalled` and re-evaluates.
void wake(Thread& thread);

// A number below `count`, decided by the strategy (1 or less: 0, without a decision). At most 255.
std::uint32_t choose_value(std::uint32_t count);

// The strategy may want to hear of locks.
extern bool g_locks_matter;
void tell_lock(const Object& lock, bool taken);

// The running thread got hold of a lock (for the first time, if it is recursive), or gave it up.
inline void lock_changed(const Object& lock, bool taken) {
  if (g_locks_matter) tell_lock(lock, taken);
}

// It entered or left an atomic block.
void block_changed(bool entered);

// A thread that was registered (state/threads.hpp) has its carrier: from now on it can be chosen.
void thread_created(Thread& thread);

// The calling thread has ended: hands the token on. Returns only on a kernel carrier, to let the
// kernel thread end; the caller must then touch nothing of the program. Not for the last live
// thread.
void finish_thread(Thread& thread);

// Re-evaluates a thread whose flags (cancel_requested, signals) changed.
void reconsider(Thread& thread);

// Takes the token for the main thread; called once per execution, on it. In two parts for a main
// thread that has to be made first.
void start_scheduler(SharedRegion& region);
void prepare_scheduler(SharedRegion& region);
void start_main(Thread& main);

// Entry of a new thread's carrier: returns when it is chosen for the first time.
void thread_begins(Thread& thread);

// Something of this process changed that polled threads may be waiting for (a write to a pipe).
void outside_changed();

// The plan's strategy is one of exploration (StrategyEntry::time_stands_still): operations that are
// otherwise passed over because they cannot block show themselves, so that their order is seen.
bool exploring();

}  // namespace raddle
