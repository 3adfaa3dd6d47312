// One thread at an event that it may not pass yet, and its looks at the threads that must be
// blocked before it may. It lives on that thread's stack, in Gate::wait().
//
// A look takes microseconds and needs no lock, so the gate asks twice: once to learn whom to look
// at, and again after the look, when still_blocked() costs next to nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "prevent/monitor/blocked_check.hpp"
#include "prevent/monitor/monitor.hpp"

namespace raddle::monitor {

class Wait {
 public:
  // `progress` is the gate's.
  explicit Wait(std::uint64_t progress) : progress_(progress), since_(now_ns()) {}

  // Under the gate's lock: the last look found the thread blocked, and it is. Whoever was not
  // looked at will be.
  bool still_blocked(const std::shared_ptr<Thread>& thread);

  // Without the lock. `held` and `own` as in BlockedCheck. Whether a thread is blocked now that was
  // not at the last look: then ask again.
  bool look(const std::vector<pid_t>& held, const void* own);
  // The same, while there is nothing better to do: makes the first look a short one.
  void prepare();

  // Nanoseconds since the thread came, or since something happened.
  std::int64_t waited(std::uint64_t progress);
  // Microseconds to sleep before the next look; the more, the longer it takes.
  unsigned pause();

 private:
  struct Look {
    std::shared_ptr<Thread> thread;
    std::unique_ptr<BlockedCheck> check;
    bool blocked;
  };

  std::vector<Look> looks_;
  std::uint64_t progress_;
  std::int64_t since_;
  unsigned pauses_ = 0;
};

// Both at once, for those that ask only once: the thread is blocked now.
bool blocked_now(pid_t thread, const std::vector<pid_t>& held, const void* own);

}  // namespace raddle::monitor
