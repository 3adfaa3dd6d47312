// The in-process executor: executions one after another in a process that Raddle's host did not
// start, of one function of the program (raddle::check). The function runs on a fiber of its own as
// the execution's main thread; what it creates are fibers as ever. Whoever called run is *home*: a
// kernel thread that is parked in run while an execution is under way.
//
// An execution that ends by returning leaves nothing behind. One that fails is abandoned where it
// stands: its threads never run again, and their stacks and what they own stay allocated.
#pragma once

#include "target/sched/thread.hpp"

namespace raddle {

// This process has executions one after another; set while a session is open.
extern bool g_in_process;

// The running thread is inside the allocator.
extern bool g_in_heap;

// The execution is over, passed or with a report: back to whoever asked for it. Does nothing where
// the process is the execution.
void return_home();

// A fault: as return_home(), unless the thread was inside something of libc that home needs too
// (the heap, standard output): then it says what it can and returns, for the process to die.
void return_home_from_crash();

// The main thread's function has come back.
[[noreturn]] void end_of_function();

// Threads of the process that are ours, or known to keep out of the executions' way.
bool is_helper_thread();

// Everything that the runtime knows of an execution is forgotten; in forget.cpp.
void forget_execution();

}  // namespace raddle
