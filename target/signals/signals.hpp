// Signals of the program. Handlers are the program's code, so they run only while their thread has
// the token: every handler the program installs is wrapped. One that arrives while the runtime is
// at work, or for a thread that is parked, is kept and delivered when that thread next leaves the
// runtime or is chosen. Masks are kept per thread, because all fibers share one kernel thread.
#pragma once

#include "target/sched/signal_delivery.hpp"
#include "target/state/thread.hpp"

namespace raddle {

// Sends `signal` to one controlled thread, as pthread_kill does (signal 0: nothing happens).
void send_to_thread(Thread& thread, int signal);

// The forked child of a controlled process: nothing is controlled any more.
void forget_signals();

}  // namespace raddle
