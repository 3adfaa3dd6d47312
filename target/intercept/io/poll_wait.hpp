// Waiting for one of many descriptors: what poll, select and epoll_wait have in common. All of it
// inside a RuntimeScope.
#pragma once

#include <poll.h>
#include <signal.h>
#include <time.h>

#include <cstdint>

#include "target/sched/scheduler.hpp"

namespace raddle {

// How long a call waits.
struct Limit {
  std::uint64_t deadline = kNoDeadline;  // virtual time
  bool no_wait = false;                  // it only looks
};

bool is_valid(const timespec* timeout);  // null is
Limit limit_of(const timespec* timeout);
Limit limit_of_milliseconds(int timeout);

struct LookWait {
  // The real call without waiting: its result, or a negative errno. Anything but 0 ends the wait.
  long (*look)(const void* call);
  const void* call;
  pollfd* fds;  // what to sleep on
  std::uint32_t fd_count;
  Limit limit;
  const sigset_t* mask;  // for the time of the call, or null
  std::uint64_t site;
};

// The result of the last look; 0 when the time is over (what the last look wrote does not count
// then); -1 with EINTR after any handler, as these calls are never restarted.
int wait_by_looking(const LookWait& wait);

}  // namespace raddle
