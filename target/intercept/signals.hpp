// Signals of the program. Handlers are the program's code, so they run only while their thread has
// the token: every handler the program installs is wrapped. One that arrives while the runtime is
// at work, or for a thread that is parked, is kept and delivered when that thread next leaves the
// runtime or is chosen. Masks are kept per thread, because all fibers share one kernel thread.
#pragma once

#include "target/sched/thread.hpp"

namespace raddle {

// The kernel's mask of the main thread when control is taken.
std::uint64_t initial_mask();

// What the kernel's mask is, with fibers; all ones: not known.
extern std::uint64_t g_kernel_mask;
void change_to_mask_of(Thread& thread);

// `thread` is about to run: the kernel's mask becomes its mask (no system call if it is that
// already).
inline void use_mask_of(Thread& thread) {
  if (thread.signals != 0 || thread.mask != g_kernel_mask) change_to_mask_of(thread);
}

// Kernel carrier only: around parking.
void block_all_signals();
void restore_signals();  // the mask of g_current

// Runs the handlers of signals that are pending for the calling thread and not masked, as program
// code. True if a handler ran that makes an interruptible call return EINTR.
bool deliver_signals(Thread& thread);

// Signals to the process that arrived inside the runtime: gives each to a thread that does not mask
// it (the running one if possible) and makes it enabled.
void route_process_signals();

// Sends `signal` to one controlled thread, as pthread_kill does (signal 0: nothing happens).
void send_to_thread(Thread& thread, int signal);

// The execution is over, and another one comes in this process.
void forget_signals_of_execution();

// The forked child of a controlled process: nothing is controlled any more.
void forget_signals();

}  // namespace raddle
