// Atomic blocks of programs that nobody instrumented (kBlocksFrames): an invocation of a function
// of the program that takes the same lock twice. Found by unwinding at every acquisition.
//
// Which invocation? A frame has a function and a place on the stack, and two calls of f() from one
// loop have the same of both. What tells them apart is the caller: between the two calls it went
// on, so that its return address, its registers or its variables changed. Therefore a function is
// in the same invocation as at an earlier acquisition only if every frame outside of it stands
// exactly as it stood: return address, callee-saved registers, and the bytes of its frame (the
// first and the last few hundred). The innermost function for which that holds is the block. It is
// not one when it is the outermost function of the program on this stack (what the thread was
// created for, or main), and when nothing at all changed on the stack, which proves nothing.
//
// What this gets wrong: a function that changes its caller's variables between the two acquisitions
// looks like two invocations (a block is missed); a loop whose condition is in memory alone looks
// like one invocation of what it calls (a block too many).
#pragma once

#include "runtime/sched/object.hpp"
#include "runtime/sched/thread.hpp"

namespace raddle {

// The running thread is about to take the lock, through an intercepted call. Says whether it took
// it before in the same block, and remembers this time.
bool takes_again(Thread& thread, const Object& lock);

}  // namespace raddle
