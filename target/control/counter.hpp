// The time-stamp counter shows virtual time, in nanoseconds, to a program that reads it itself
// (rdtsc, rdtscp): each read is a look at a clock. A program without such an instruction pays
// nothing.
//
// Reads fault (base/counter_trap.hpp), and the handler of SIGSEGV does what the instruction would
// have done. It has SIGSEGV for itself, then: an action of the program for that signal is kept from
// the kernel until the program really has a fault. Then the kernel gets it, and the counter is the
// real one from there on. No thread ever blocks SIGSEGV in the kernel, whatever its mask says,
// because the kernel kills where a fault is blocked.
//
// The real counter is read by libc, the loader and the vdso, by threads that are not controlled, by
// children, and by code that was loaded after control was taken. Constructors before main() see
// virtual time, as on the clocks, until one of them asks for the action of SIGSEGV.
#pragma once

#include <ucontext.h>

namespace raddle {

// Before control is taken: finds out whether the program reads the counter, once for the process.
void learn_counter_reads();

// Constructors of the program are about to run; unless somebody has SIGSEGV for himself already.
void trap_counter_early();

// An execution begins, in its process and on the kernel thread of its first thread. Nothing, if the
// program does not read the counter or the kernel cannot tell.
void trap_counter();
// The process is not controlled any more, or not for now. The kernel gets the program's own action
// for SIGSEGV.
void untrap_counter();

// In the handler of the sample signal: the interrupted thread has read the counter so often that it
// is to give way here, on its own stack. Asked once.
bool counter_gives_way();

}  // namespace raddle
