// Who waits for whom.
#pragma once

#include "target/state/thread.hpp"

namespace raddle {

// The only thread that can end this thread's wait, or null: the holder of the lock, the initialiser
// of the once flag, the thread to be joined. Null for what anybody may do (signal, post, arrive).
Thread* waits_for_thread(const Thread& thread);

// `thread` has just blocked without a deadline: if it closed a cycle of locks, no event from
// outside can resolve it, whatever other threads still do. Ends the execution then.
void end_if_cycle(Thread& thread);

// No thread can move, now or later. Ends the execution. `waits` tells of threads that wait at
// events of monitors, in lines "NUMBER what it waits for"; it becomes the report's message.
[[noreturn]] void end_in_deadlock(const char* waits = "");

}  // namespace raddle
