// The stacks of other threads of this process, for a diagnosis. A signal makes each thread write
// its own down. Not for threads whose system call would end early because of it (resumption.hpp).
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "prevent/monitor/resumption.hpp"

namespace raddle::monitor {

struct ThreadStack {
  pid_t thread;
  std::vector<void*> addresses;  // empty: the thread did not answer
};

struct Wanted {
  pid_t thread;  // 0: none
  Interrupted call;
};
std::vector<ThreadStack> capture_stacks(const std::vector<Wanted>& threads);

// For each stack its frames as "queue.cpp:31 in Queue::take()", the innermost first, without those
// of the C and C++ libraries, of the test framework and of the monitor. File and line need
// addr2line and -g.
std::vector<std::vector<std::string>> frames_of(const std::vector<ThreadStack>& stacks);

}  // namespace raddle::monitor
