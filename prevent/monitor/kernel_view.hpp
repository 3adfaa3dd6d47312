// What the kernel says that a thread of this process is doing: running, or waiting in which system
// call (/proc/self/task/TID/syscall, which holds still only while the thread is off the processor).
// Called on any thread, about any other.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

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
  std::uint64_t place = 0;  // the instruction after the call
  std::string line;         // as the kernel wrote it: the same line, the same wait
  pid_t owner = 0;          // of the mutex that it waits for, if the futex looks like one
  pid_t joins = 0;          // the thread that it joins
  bool short_lock = false;  // it looks like a lock that nobody holds for long
};

// /proc/self/task/TID/syscall, open from the first look to close(): the path costs more than the
// rest of a look.
class CallFile {
 public:
  CallFile() = default;
  ~CallFile() { close(); }
  CallFile(const CallFile&) = delete;
  CallFile& operator=(const CallFile&) = delete;

  void open(pid_t thread);
  KernelView look_at(pid_t thread);
  void close();

 private:
  int file_ = -1;
};

KernelView look_at(pid_t thread);

// The thread waits for a futex that another process may have mapped, too.
bool waits_across_processes(const KernelView& view);

// Nanoseconds that the thread has been on a processor; -1 if the kernel does not say. A look that
// costs little: as long as it stays the same, the thread has done nothing.
std::int64_t processor_time(pid_t thread);

std::int64_t now_ns();

}  // namespace raddle::monitor
