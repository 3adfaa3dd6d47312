// What the signal interceptors, and those that wait with a mask of their own, share. All inside a
// RuntimeScope, except where said.
#pragma once

#include <signal.h>

#include <cstdint>

#include "target/carrier/signal_mask.hpp"
#include "target/state/thread.hpp"

namespace raddle {

std::uint64_t signal_bits(const sigset_t& set);
void set_signal_bits(sigset_t& set, std::uint64_t bits);

// The mask of the calling thread becomes `mask`. What is now unmasked is delivered when it leaves
// the runtime, or waits.
void set_mask(Thread& thread, std::uint64_t mask);

// A signal mask for the time of one call (ppoll, pselect, epoll_pwait, sigsuspend). No destructor:
// a cancelled thread unwinds without it.
class TemporaryMask {
 public:
  explicit TemporaryMask(const sigset_t* mask);  // null: no change
  void restore();

 private:
  std::uint64_t old_;
  bool changed_;
};

// The program's action for a signal, and what the kernel is told of it. Also callable before
// control.
const struct sigaction& program_action(int signal);
int change_action(int signal, const struct sigaction* action, struct sigaction* old);

// Sends a signal to one thread, or (null) to the process as a whole.
void send_signal(Thread* thread, const siginfo_t& info);
siginfo_t signal_info(int signal, int code);

// A signal that is pending in the kernel and masked becomes one of the calling thread alone.
void adopt_kernel_signal(int signal);

// Takes a pending signal of the set for the calling thread: its own first, then the process's, then
// what the kernel has. 0 if there is none.
int take_pending(std::uint64_t set, siginfo_t* info);
bool has_pending(const Thread& thread, std::uint64_t set);
std::uint64_t pending_signals(const Thread& thread);

// Thread::ready of sigwait and kin. Thread::wait_data is the set, wait_data2 the number of handlers
// that had run before.
bool sigwait_ready(Thread& thread);

// True while the thread waits in sigwait for a signal of its set.
bool waits_for_signal(const Thread& thread, int signal);

// The program made a signalfd for these: what is sent must really be pending in the kernel.
void use_signal_descriptor(std::uint64_t set);

}  // namespace raddle
