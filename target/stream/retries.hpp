// Loops that wait with atomic operations: Peterson's, Dekker's, a spinning exchange, a bounded
// retry. A thread waits for somebody else when, since it last changed anything, it has only looked,
// and now comes back to an operation that it has already executed, with nothing that it looked at
// changed since. Strategies let others go first then, explorers do not unroll the loop, and nothing
// but this for very long is a livelock.
//
// What changed is known by counting: each atomic variable (Object::value of class memory) counts
// the operations that left another value behind.
#pragma once

#include <cstdint>

#include "target/sched/thread.hpp"

namespace raddle {

// Before an atomic operation of the running thread is announced: does it try again?
bool tries_again(Thread& thread, Object& variable, std::uint16_t bytes, std::uint64_t site,
                 bool may_write);

// Before any operation of a thread with Thread::looks > 0 or Thread::wrote_to is announced. The
// thread has held the token since its last one, so what that left behind can be read.
void settle_atomics(Thread& thread, OpKind next);

}  // namespace raddle
