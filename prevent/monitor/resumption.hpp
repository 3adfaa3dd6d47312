// Signals that make threads write down their stacks, and how the threads go on as if nothing had
// come. The kernel takes up some system calls again by itself (SA_RESTART). Others end with EINTR,
// and programs do not expect that: a sleep would be over early. So the handler makes the thread
// call again, with what is left of its time.
#pragma once

#include <cstdint>

namespace raddle::monitor {

// A thread in a system call, as the kernel described it. Plain data: a handler copies it.
struct Interrupted {
  long call = -1;
  std::uint64_t arguments[6]{};
  std::int64_t since = 0;  // it has been there; nanoseconds, on the monotonic clock
};

// On the watch: whether resume() can hide the signal from the thread.
bool can_resume(const Interrupted& call);

// In the handler, on the thread: `context` is the handler's third argument. Does nothing if the
// thread is no longer in that call. A sleep goes on in here.
void resume(const Interrupted& call, void* context);

}  // namespace raddle::monitor
