// Condition variables, for those that build on them: C11 threads.
#pragma once

#include <pthread.h>

#include "target/sched/scheduler.hpp"

namespace raddle {

// Bodies of pthread_cond_wait and kin, inside a RuntimeScope; errno values. May not return
// (cancelled).
int wait_on_cond(pthread_cond_t* cond, pthread_mutex_t* mutex, std::uint64_t deadline,
                 std::uint64_t site);
void signal_cond(pthread_cond_t* cond, std::uint64_t site);
void broadcast_cond(pthread_cond_t* cond, std::uint64_t site);
void destroy_cond(pthread_cond_t* cond, std::uint64_t site);

}  // namespace raddle
