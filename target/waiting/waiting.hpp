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
//    sends a signal, again and again. If the registers and the top of the stack are the same in
//    three samples, and the thread ran in between, then it went round a loop that changes nothing.
//  - Hooks (hook_loops.cpp), for code that raddle-cc instrumented: a hook changes registers that
//    nobody uses, so that no two samples are the same. But the hooks can be asked. A read that
//    comes again and again with the same address, the same value, the same registers and innermost
//    variables of its function, with nothing written in between, is such a loop. The hooks are
//    asked only when the host or a full chunk of events says that no step was made for long. A read
//    that is a decision point anyhow is compared with the thread's last one, every time.
//  - Atomic operations (atomic_loops.cpp), which are decision points: the locks of Peterson and
//    Dekker, a spinning exchange, a bounded retry. A thread waits when, since it last changed
//    anything, it has only looked, and now comes back to an operation that it has already
//    executed, with nothing that it looked at changed since. What changed is known by counting:
//    each atomic variable (Object::value of class memory) counts the operations that left another
//    value behind.
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
// exception that execution would never end. Atomic operations depend on no clock at all; for hooks
// the clock may say when they are asked, but not what they answer.
//
// A *livelock* (livelock.cpp) is an execution in which all that happens is idle, for long, while no
// deadline and nobody outside can change that. Either every enabled thread was caught spinning,
// several times over; or nothing but idle operations was executed for the plan's livelock_steps,
// and the program's memory (memory_fingerprint.cpp) is the same after at least as many again:
// threads that yield may still get somewhere by plain writes in between, and then their memory
// changes.
//
// This folder answers questions and remembers what it needs for that. Who asks acts on the answer:
// control/sampling.cpp for samples, instrumented/hooks.cpp for hooks and atomic operations,
// sched/idle.cpp for livelocks. All functions are called on the thread that holds the token.
#pragma once

#include <cstdint>

#include "protocol/hooks_abi.h"
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

// Before a plain read that is a decision point: does it find what the thread's last one found, at
// the same place with the same registers and innermost variables? `frame` is that of a function
// that saved all registers which its caller may use.
bool reads_again(Thread& thread, std::uint64_t site, const void* address, std::uint16_t bytes,
                 const void* frame);

// --- Atomic operations --------------------------------------------------------------------------

// Before an atomic operation of the running thread is announced: does the thread try it again, with
// nothing changed?
bool tries_again(Thread& thread, Object& variable, std::uint16_t bytes, std::uint64_t site,
                 bool may_write);

// Before any operation of a thread with Thread::looks > 0 or Thread::wrote_to is announced. The
// thread has held the token since its last one, so what that left behind can be read.
void settle_atomics(Thread& thread, OpKind next);

// --- Livelocks ----------------------------------------------------------------------------------

extern bool g_idling;               // the last operation was idle,
extern std::uint64_t g_idle_steps;  // and so were these before it

// An idle operation that is executed next, and what could still get the program out of idleness.
struct IdleStep {
  OpKind op;
  std::uint32_t enabled;  // threads that can move
  bool time_may_help;     // somebody waits for a deadline, or for somebody outside the process
  bool replayed;          // strictly: the recording says when it was enough
  bool beyond_recording;  // and says nothing more
};

// Counts the step. True: idleness is all that will ever be.
bool is_livelock(const IdleStep& step);

// An operation that is not idle is executed next, and the one before it was idle. Where loops that
// wait are bounded fairly (`exploring`), locks that are taken in each round do not end idleness.
__attribute__((noinline)) void got_somewhere(OpKind op, bool exploring);

// A new execution.
void start_idleness();

}  // namespace raddle
