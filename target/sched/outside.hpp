// Threads that wait for something only the kernel knows: a descriptor, a signal, a child process.
#pragma once

#include <cstdint>

#include "target/state/thread.hpp"

namespace raddle {

void add_polled(Thread& thread);
void remove_polled(Thread& thread);
bool any_polled();
bool any_external();  // one of them waits for somebody outside this process

// The longest sleep in one go: the host may want us to give up.
inline constexpr std::uint64_t kIdleSlice = 100'000'000;

// Sleeps in the kernel until one of their descriptors is ready, a signal arrives, or the time is
// over (0: only looks). The host sees that we wait. Returns how long it took, in real nanoseconds.
std::uint64_t sleep_outside(std::uint64_t nanoseconds);

// The real clock, in nanoseconds.
std::uint64_t real_now();

// The program has armed a timer of the kernel, or there are kernel threads that are not ours. Slow:
// asked only when no thread can move.
bool something_unseen_may_happen();

// In a process that has threads of its own beside the executions: those that are there now count
// for nothing.
void count_other_kernel_threads();

// Calls `evaluate` for each of them.
void for_each_polled(void (*evaluate)(Thread&));

}  // namespace raddle
