// What a thread is called outside pthreads: its id in the kernel. The ids are virtual, the same in
// both carriers: the process's for the main thread, and the next numbers for the others.
#pragma once

#include <sys/types.h>

#include "target/state/thread.hpp"

namespace raddle {

pid_t virtual_tid(const Thread& thread);

// Null if no controlled thread has it.
Thread* thread_of_tid(pid_t tid);

}  // namespace raddle
