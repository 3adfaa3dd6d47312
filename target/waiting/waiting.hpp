// Finding out that a thread only waits: it goes round in a loop until another thread changes
// something, by reading a flag, retrying a compare-and-swap, yielding. Nothing that it calls says
// so. Yet it matters: with one thread running at a time, a loop that nobody interrupts lasts for
// ever; a strategy that keeps choosing such a thread gets nowhere; an explorer would unroll the
// loop without end; and if all threads do nothing else, that is a failure worth reporting.
//
// Three kinds of evidence, each for what the others cannot see:
//
//  - Samples (sampled_loops.cpp), for code that never comes to the runtime: a loop over a plain
//    variable in a program that nobody instrumented. The host sees that the steps stand still and
//    sends a signal, again and again. If the registers and the whole stack are the same in three
//    samples, and the thread ran in between, then it went round a loop that changes nothing.
//  - Hooks (hook_loops.cpp), for code that raddle-cc instrumented: a hook changes registers that
//    nobody uses, so that no two samples are the same. But the hooks can be asked. A read that
//    comes again and again with the same address, the same value, the same registers and stack of
//    its function and all its callers, with nothing written in between, is such a loop. The hooks
//    are asked only when the host or a full chunk of events says that no step was made for long.
//  - Looks (looks.cpp): accesses that are decision points, atomic or plain. The locks of Peterson
//    and Dekker, a spinning exchange, a bounded retry. A thread waits when, since it last changed
//    anything, it has only looked, and now comes back to an operation that it has already
//    executed, with nothing that it looked at changed since. What changed is known by the value,
//    and by counting: each variable (Object::value of class memory) counts the operations that left
//    another value behind.
//
// What is found becomes an operation that strategies know as *idle* (is_idle_op): spin,
// memory_again, atomic_again. They let others go first then.
//
// Why the execution stays the same every time, although samples come by the clock: the evidence is
// that a round leaves the thread exactly as it was. After however many rounds it is caught, and in
// whichever of them, the state in which it waits is the same one; and the decision is the same one,
// an idle operation at that point of the choice log. For the same reason a thread that computes is
// left alone, however long it takes: its state changes, and where it was stopped would depend on
// the speed of the machine. One exception: after 5 s of CPU time without a decision a thread is
// preempted all the same. It counts its rounds, say, and so never looks the same twice; without the
// exception that execution would never end. Looks depend on no clock at all; for hooks the clock
// may say when they are asked, but not what they answer.
//
// A *livelock* (livelock.cpp) is an execution in which nothing will ever change although threads
// move. It is claimed only if that follows from what was seen. *Idleness* is a time in which
// threads are idle, and what else they do changes nothing: they look, they write what was there
// already, they take locks and give them back. After the plan's livelock_steps idle operations, or
// after each thread was caught spinning several times, a *window* of the same length begins. If at
// its end
//   - every thread that can move came back to the same registers and stack, more than once
//     (rounds.cpp): a thread that counts does not, nor does one that a strategy holds back,
//   - the rest of the program's memory is as it was (memory_fingerprint.cpp),
//   - no thread looked at a clock, waits for a deadline or for somebody outside the process, no
//     timer is armed and no memory is shared with another process,
// then each thread goes round for ever, in whatever order they run. Otherwise the next window is
// twice as long. Where windows begin and end depends on the steps alone, so a livelock is found at
// the same step each time.
//
// A *possible hang* (ticking.cpp) is less than that, and claims nothing of the program: some
// threads wait without a time-out, and all that others do, for thousands of jumps of virtual time,
// is to sleep and to wake by themselves. Nothing proves that they never wake those that wait (they
// may count their rounds), so the execution ends without a verdict, but names who waits.
//
// This folder answers questions and remembers what it needs for that. Who asks acts on the answer:
// control/sampling.cpp for samples, instrumented/hooks.cpp for hooks and atomic operations,
// sched/idle.cpp for livelocks. All functions are called on the thread that holds the token.
#pragma once

#include <cstdint>

#include "protocol/hooks_abi.h"
#include "target/state/attention.hpp"
#include "target/state/object.hpp"
#include "target/state/thread.hpp"

struct ucontext_t;

namespace raddle {

// --- Samples ------------------------------------------------------------------------------------

// In the handler of the sample signal, which interrupted the running thread in `context`, in code
// that may be preempted. True if this is a moment to switch: the thread spins, or has computed for
// very long.
bool sample_shows_waiting(const ucontext_t& context);
// --- Hooks --------------------------------------------------------------------------------------

// The running thread comes to no decision point, as the host sees: from here on every access comes
// to the runtime, until it is clear whether the thread waits. Does nothing without hooks.
void watch_hooks();
// The same, if the last full chunk of events came at the same step: called for each.
void chunk_is_full();

// At an access while the hooks are watched: where the loop is, if the thread waits in one; else 0.
extern bool g_hooks_watched;
std::uint64_t waiting_loop_at(const RaddleSite* site, const void* address);
// The access would have come to the runtime even if nobody watched.
bool decides_unwatched(const RaddleSite* site);
// Nobody watches: before the first access of an execution, and after the last.
void reset_hook_watch();

// --- Looks --------------------------------------------------------------------------------------

// More bytes are not compared.
inline constexpr std::uint16_t kMostCompared = 16;

// An access that is a decision point.
struct Access {
  Object& variable;
  std::uint16_t bytes;  // if it is not atomic, kMostCompared at most
  std::uint64_t site;
  bool atomic;
  bool may_write;
};

// Before the access is announced by the running thread: does the thread try it again, with nothing
// changed? An atomic one the second time; a plain one when it was so for some rounds.
bool tries_again(Thread& thread, const Access& access);

// Before any operation of a thread with Thread::looks > 0 or Thread::wrote_to is announced. The
// thread has held the token since its last one, so what that left behind can be read.
void settle_looks(Thread& thread, OpKind next);

// --- Livelocks ----------------------------------------------------------------------------------

// With Attention::idling: so many operations before the last were idle, too.
extern std::uint64_t g_idle_steps;

// What could still get the program out of idleness.
struct IdleStep {
  std::uint32_t enabled;      // threads that can move
  bool time_may_help;         // somebody waits for a deadline, or for somebody outside the process
  bool (*unseen_may_help)();  // the same for what only the kernel knows; slow
  bool replayed;              // strictly: the recording says when it was enough
};

// Counts the step, which `next` makes. True: idleness is all that will ever be.
bool is_livelock(Thread& next, const IdleStep& step);

// It was idle since the idleness began.
bool idles(const Thread& thread);

// In a window, when an idle operation of the running thread is announced.
extern bool g_rounds_watched;
void note_round(Thread& thread);

// An operation that is not idle is executed next, in idleness. Does it end that?
__attribute__((noinline)) void got_somewhere(OpKind op);

// The running thread looked at something that may change by itself: a clock, a descriptor.
void look_outside();

// No thread is enabled, nobody outside can help, and virtual time is about to jump. The thread that
// waits in vain, if this looks like a hang; null: go on.
Thread* waits_beside_ticks();

// A new execution; or something changed.
void start_idleness();
inline void end_idleness() {
  if (g_attention.idling) start_idleness();
}

}  // namespace raddle
