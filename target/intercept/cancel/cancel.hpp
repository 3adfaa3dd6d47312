// Cancellation and thread exit.
#pragma once

#include "target/state/thread.hpp"

namespace raddle {

// The calling thread was cancelled in a call that has already undone its effects: runs the clean-up
// handlers and destructors and ends the thread. Called inside a RuntimeScope, which it leaves.
[[noreturn]] void cancel_now();

// Ends the calling thread with `result` by unwinding its stack, as pthread_exit does.
[[noreturn]] void exit_thread(void* result);

// Calls function(argument) so that exit_thread() in it comes back here. Returns the thread's
// result.
void* run_thread_body(Thread& thread, void* (*function)(void*), void* argument);

// Destructors of thread_local objects and of keys, as program code.
void run_thread_destructors();

}  // namespace raddle
