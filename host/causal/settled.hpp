// Answers that need no solver, because locks alone decide them. Each is exact in one direction:
// true means that the solver would say no.
#pragma once

#include "host/causal/cone.hpp"

namespace raddle::causal {

// The target is a read, and its thread has accessed the same bytes before, in the same critical
// sections: nobody who writes there can have come between. So it sees what was there then, and that
// is among what is known.
bool sees_nothing_new(const Histories& histories, const Target& target);

// No thread can wait for a lock while it holds one: there is no cycle of locks.
bool takes_one_lock_at_a_time(const Histories& histories);

// Nobody waits for anything but locks and ends of threads, nobody waits or ends while it holds a
// lock, and nobody who joins is joined: there is no deadlock.
bool always_gets_on(const Histories& histories);

}  // namespace raddle::causal
