// Signals that have arrived and were not delivered yet. Two stages, because a signal may arrive at
// any instruction of the runtime: the handler only puts it into a ring, and the runtime moves it
// from there to the queue when nothing can come between.
#pragma once

#include <signal.h>

#include "target/state/thread.hpp"

namespace raddle {

// In the handler: every signal is blocked, so arrivals do not interrupt each other.
void note_arrival(const siginfo_t& info);
bool any_arrived();
bool take_arrival(siginfo_t& info);

// In the runtime. A signal waits for one thread, or (null) for any that will take it. Signals below
// SIGRTMIN are kept once, as in the kernel.
void enqueue(Thread* thread, bool to_process, const siginfo_t& info);

// Takes the oldest signal of `set` that waits for the thread (null: for any), lowest number first.
bool dequeue(Thread* thread, std::uint64_t set, siginfo_t& info);
std::uint64_t queued(const Thread* thread);

// Signals to the process that no thread would take, and those whose thread ended first: `choose`
// says who takes it now, or null.
void assign_queued(Thread* (*choose)(int signal));

// The program ignores it from now on.
void discard_queued(int signal);
void forget_queue();

}  // namespace raddle
