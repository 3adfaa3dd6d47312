// Mutexes, for those that build on them: condition variables, C11 threads.
#pragma once

#include <pthread.h>

#include "target/sched/scheduler.hpp"

namespace raddle {

Object& mutex_object(pthread_mutex_t* mutex, std::uint64_t site);

// The bodies of pthread_mutex_lock and kin, inside a RuntimeScope. Results are errno values.
// `how` is for the event stream: kByWait when a condition wait gives up and takes the mutex.
int lock_mutex(pthread_mutex_t* mutex, std::uint64_t deadline, std::uint64_t site,
               std::uint8_t how = 0);
int trylock_mutex(pthread_mutex_t* mutex, std::uint64_t site);
int unlock_mutex(pthread_mutex_t* mutex, std::uint64_t site);

// For a condition wait, which is one operation of its own: gives the mutex up without a decision. 0
// or EPERM, as an unlock.
int release_mutex(pthread_mutex_t* mutex, OpKind op, std::uint64_t site, std::uint8_t how = 0);

// The thread ended: robust mutexes that it holds pass to whoever asks next, with EOWNERDEAD.
void abandon_robust_mutexes(Thread& thread);

}  // namespace raddle
