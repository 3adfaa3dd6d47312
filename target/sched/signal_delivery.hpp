// What the scheduler asks of the program's signals. It declares these; signals/signals.cpp, which
// stands above it, defines them. All are called by the thread that holds the token.
#pragma once

#include "target/state/thread.hpp"

namespace raddle {

// Runs the handlers of signals that are pending for the calling thread and not masked, as program
// code: decisions may be taken in there. True if a handler ran that makes an interruptible call
// return EINTR.
bool deliver_signals(Thread& thread);

// The same on the way out of the runtime, when g_signals_due: until none is due. Keeps errno.
[[gnu::noinline, gnu::cold]] void deliver_due_signals();

// Signals to the process that arrived inside the runtime: gives each to a thread that does not mask
// it (the running one if possible) and makes that thread enabled. Runs no program code.
void route_process_signals();

}  // namespace raddle
