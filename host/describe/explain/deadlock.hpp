// Why threads wait for ever: locks in a cycle, a signal that nobody waited for, a change that
// nobody was told of, a signal that woke the wrong thread, an arrival that did not come. Used by
// explain() alone.
#pragma once

#include <optional>

#include "host/describe/explanation.hpp"

namespace raddle {

// `failure` is a deadlock. Empty if the events do not show why.
Explanation explain_deadlock(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols);

// A thread waits for a lock that a thread held when it ended.
std::optional<Explanation> explain_left_locked(const KeptTrace& trace, const Failure& failure,
                                               Symbolizer& symbols);

// Threads that wait for each other: `failure` has a cycle.
Explanation explain_cycle(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols);

// Threads wait at a barrier: one of their kind ended without arriving, or fewer arrive than it
// waits for.
std::optional<Explanation> explain_barrier(const KeptTrace& trace, const Failure& failure,
                                           Symbolizer& symbols);

// The same of a std::barrier; who left it early, all of them.
std::optional<Explanation> explain_library_barrier(const KeptTrace& trace, const Failure& failure,
                                                   Symbolizer& symbols);

// What a thread waits for was put, after that, where whoever took has left.
std::optional<Explanation> explain_put_too_late(const KeptTrace& trace, const Failure& failure,
                                                Symbolizer& symbols);

// Two threads wait for what each of them could only do after its wait.
std::optional<Explanation> explain_each_other(const KeptTrace& trace, const Failure& failure,
                                              Symbolizer& symbols);

// A thread was woken for a change that was undone before it looked.
std::optional<Explanation> explain_changed_back(const KeptTrace& trace, const Failure& failure,
                                                Symbolizer& symbols);

// A thread was signalled after a change that its wait does not look at.
std::optional<Explanation> explain_unwatched_change(const KeptTrace& trace, const Failure& failure,
                                                    Symbolizer& symbols);

// A thread waits on a condition with a lock that the wait does not give back, and another thread
// waits for that lock.
std::optional<Explanation> explain_wait_under_lock(const KeptTrace& trace, const Failure& failure,
                                                   Symbolizer& symbols);

// The same for a semaphore that was posted less often than it is waited for: facts.
std::optional<Explanation> explain_semaphore(const KeptTrace& trace, const Failure& failure,
                                             Symbolizer& symbols);

// The same for a variable that a thread waits on until it changes: facts.
std::optional<Explanation> explain_unreached_value(const KeptTrace& trace, const Failure& failure,
                                                   Symbolizer& symbols);

// All threads that are left wait for futures, or for each other to end.
std::optional<Explanation> explain_unfulfilled_futures(const Failure& failure);

// The execution with what takes from a std::counting_semaphore as `await`, and what adds to it as
// `signal`; the indices of its events stay as they are.
KeptTrace with_semaphores(const KeptTrace& trace);

}  // namespace raddle
