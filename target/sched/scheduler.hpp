// The scheduler: one token, held by the thread that runs program code.
//
// Interceptors describe what their thread is about to do and get control back when a strategy chose
// them to do it. Between that return and the next call here nobody else runs, so an interceptor
// reads and changes objects without locks, and calls refresh() for each object whose waiters may
// now be able (or no longer able) to move.
//
//   decide(op, object, site)   a decision point before an operation that can always be executed;
//   wait(spec)                 the same for one that may have to wait. Returns how it ended.
//
// All functions here are called on a controlled thread that holds the token, inside a RuntimeScope.
#pragma once

#include <cstdint>

#include "protocol/shared_region.hpp"
#include "target/carrier/carrier.hpp"
#include "target/sched/thread.hpp"
#include "target/sched/threads.hpp"

namespace raddle {

// The thread that holds the token. Only meaningful while g_active.
extern Thread* g_current;
// The runtime is in control of this process (not before main, not in forked children).
extern bool g_active;
// The token holder is inside the runtime: signals wait, and nested interceptions pass through.
extern std::uint32_t g_in_runtime;
extern SharedRegion* g_region;
// Signals may be waiting for the running thread; see intercept/signals.hpp.
extern bool g_signals_due;
void deliver_due_signals();

// A thread that nobody can schedule called an intercepted function: made by clone(), or inside libc
// (timer_create with SIGEV_THREAD). The next decision ends the execution as inconclusive.
void note_foreign_thread();
// The carrier's own thread is on its way to its entry, or from its end, and may do so.
void expect_unscheduled(bool begin);

// True when the calling thread is controlled and not already inside the runtime. An interceptor
// that sees false calls the real function.
inline bool controlled() {
  if (!g_active) return false;
  if (__builtin_expect(thread_pointer() != g_current->thread_pointer, 0)) {
    note_foreign_thread();
    return false;
  }
  return g_in_runtime == 0;
}

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

inline Thread& self() { return *g_current; }

// `extra` is Pending::extra: what else the operation touches.
void decide(OpKind op, Object* object, std::uint64_t site, std::uint64_t extra = 0);

// What the running thread did has let others go on (a release, a signal, a new thread): with
// DecideKind::kEvery, these may do so before it does anything else.
extern bool g_others_first;
inline void let_others(std::uint64_t site) {
  if (__builtin_expect(g_others_first, 0)) decide(OpKind::go_on, nullptr, site);
}

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
  std::uint64_t extra = 0;  // Pending::extra
};

// The `ready` of an operation that can always be executed.
bool always(Thread& thread);

// kReady: `ready` holds and the operation is to be executed now. kTimeout, kInterrupted, kCancelled
// only as the spec allows; after kCancelled clean up and call cancel_now().
StepOutcome wait(const WaitSpec& spec);

// The same for what waits for its object alone: no deadline, no cancellation. With decide() this is
// what most decisions are; neither builds a WaitSpec.
StepOutcome wait_for(OpKind op, Object& object, Ready ready, std::uint64_t site);

void evaluate_waiters(Object& object);

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

// A thread that was registered (sched/threads.hpp) has its carrier: from now on it can be chosen.
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

// The execution is over, and another one comes in this process.
void forget_schedule();

// Entry of a new thread's carrier: returns when it is chosen for the first time.
void thread_begins(Thread& thread);

// Something of this process changed that polled threads may be waiting for (a write to a pipe).
void outside_changed();

Carrier& carrier();

// Has another thread, which has begun and not ended, write down its own stack.
void capture_other(Thread& thread, Stack& stack);

// The misuse is recorded in the report; the execution goes on.
void report_misuse(OpKind op, Object& object, std::uint64_t site, const char* text);

const Plan& plan();

// The plan's strategy is one of exploration (StrategyEntry::time_stands_still): operations that are
// otherwise passed over because they cannot block show themselves, so that their order is seen.
bool exploring();

}  // namespace raddle
