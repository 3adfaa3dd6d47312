// All threads of the execution, by number.
#pragma once

#include <pthread.h>

#include "target/base/base.hpp"
#include "target/state/thread.hpp"

namespace raddle {

inline constexpr std::uint32_t kMaxThreads = 0xfffe;  // in one execution
// At once: each has a stack of several mappings, of which the kernel allows a process about 65,000.
inline constexpr std::uint32_t kMaxLiveThreads = 8192;

// Registers a thread (creator null: main); there are fewer than kMaxThreads. Then its carrier is
// made; then either thread_created() of sched/scheduler.hpp, or retire_thread() if the carrier
// could not be made.
Thread& add_thread(Thread* creator);

// It has ended, or never began.
void retire_thread(Thread& thread);

// Null if no thread has this handle (any more).
Thread* find_thread(pthread_t handle);

// In order of their numbers.
using ThreadArray = GrowingArray<Thread*>;
const ThreadArray& all_threads();
std::uint32_t thread_count();  // ever registered
std::uint32_t live_threads();  // of these, not retired
Thread& thread_by_id(ThreadId id);

}  // namespace raddle
