// What the kernel says that a thread of this process is doing: running, or waiting in which system
// call (/proc/self/task/TID/syscall, which holds still only while the thread is off the processor).
// Called on any thread, about any other.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace raddle::monitor {

enum class Activity {
  gone,        // there is no such thread any more
  runs,        // or is about to: it was woken, it waits for a page or a disk
  sleeps,      // until a time that it has chosen itself
  waits,       // for another thread, in a futex
  waits_long,  // the same with a time-out
  outside      // for a descriptor, a child, a signal: something that may come from outside
};

struct KernelView {
  Activity activity = Activity::runs;
  long call = -1;  // the system call, -1 if it is not known
  std::uint64_t arguments[6]{};
  std::string line;         // as the kernel wrote it: the same line, the same wait
  pid_t owner = 0;          // of the mutex that it waits for, if the futex looks like one
  pid_t joins = 0;          // the thread that it joins
  bool short_lock = false;  // it looks like a lock that nobody holds for long
};

KernelView look_at(pid_t thread);

// The thread waits for a futex that another process may have mapped, too.
bool waits_across_processes(const KernelView& view);

// Whether a thread is blocked for others to see: it waits, it has waited in the same place for a
// moment, and not for a mutex whose owner runs and will give it back. A sleep does not count: it
// ends by itself.
class BlockedCheck {
 public:
  // To be called again and again; true once it is stable. `held` are threads that a monitor holds:
  // they give no mutex back. Who waits for the mutex `own` is on its way to a monitor.
  bool blocked(pid_t thread, const std::vector<pid_t>& held, const void* own);

 private:
  std::string line_;
  std::int64_t since_ = 0;  // nanoseconds
};

std::int64_t now_ns();

}  // namespace raddle::monitor
