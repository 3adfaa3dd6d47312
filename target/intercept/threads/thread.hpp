// Threads, for those that build on them: C11 threads, start-up.
#pragma once

#include <pthread.h>

#include "target/sched/scheduler.hpp"

namespace raddle {

// Body of pthread_create, inside a RuntimeScope; errno values.
int create_thread(pthread_t* handle, const pthread_attr_t* attributes, void* (*start)(void*),
                  void* argument, std::uint64_t site);

// Body of pthread_join and its relatives.
int join_thread(pthread_t handle, void** result, std::uint64_t deadline, std::uint64_t site);
int detach_thread(pthread_t handle);

// The body of the calling thread has returned: destructors, then the token goes on. Returns only
// where finish_thread() does. The last live thread ends the process.
void end_thread(Thread& thread);

}  // namespace raddle
