// Atomic blocks of programs that nobody instrumented (kBlocksFrames): an invocation of a function
// of the program that takes the same lock twice. Found by unwinding at every acquisition.
//
// Which invocation? A frame has a function and a place on the stack, and two calls of f() from one
// loop have the same of both. What tells them apart is the caller: between the two calls it went
// on, so that its return address, its registers or its variables changed. Therefore a function is
// in the same invocation as at an earlier acquisition only if every frame outside of it stands
// exactly as it stood: return address, callee-saved registers, and the bytes of its frame (the
// first and the last few hundred). The innermost function for which that holds is the block. It is
// none
//   - when it is the outermost function of the program on this stack: what the thread was created
//     for, or main;
//   - when it is at the same place again, or at an earlier one: that is the next round of a loop,
//     which is on its own; and when it calls itself: each level is on its own, too;
//   - when the thread waited for others in between (a condition, a join, a semaphore, a barrier) or
//     created one: who does that does not mean to be alone. Nor does a block begin with the end of
//     a wait on a condition, which takes the lock again.
//
// What this gets wrong: a function that changes its caller's variables between the two acquisitions
// looks like two invocations (a block is missed); a loop whose condition is in memory alone looks
// like one invocation of what it calls (a block too many).
#pragma once

#include "target/state/object.hpp"
#include "target/state/thread.hpp"

namespace raddle {

// The running thread is about to take the lock, through an intercepted call. Says whether it took
// it before in the same block, and remembers this time.
bool takes_lock_again(Thread& thread, const Object& lock);

// It is about to wait for another thread, or to create one.
void note_wait_for_others(Thread& thread);
// It has waited on a condition, and takes the condition's lock next.
void note_condition_wake(Thread& thread);

}  // namespace raddle
