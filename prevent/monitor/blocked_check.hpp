// Whether a thread is blocked for others to see: it waits, it has not been on a processor for a
// moment, and it does not wait for a mutex whose owner runs and will give it back. A sleep does not
// count: it ends by itself. By the kernel's word (kernel_view.hpp).
#pragma once

#include <vector>

#include "prevent/monitor/kernel_view.hpp"

namespace raddle::monitor {

class BlockedCheck {
 public:
  explicit BlockedCheck(pid_t thread) : thread_(thread) {}

  // Opens what look() needs, ahead of time: that takes longer than to look.
  void prepare() { file_.open(thread_); }

  enum class Answer { no, not_yet, yes };
  // To be called again and again; not_yet: the thread waits, but not for long enough. `held` are
  // threads that a monitor holds: they give no mutex back. Who waits for the mutex `own` is on its
  // way to a monitor.
  Answer look(const std::vector<pid_t>& held, const void* own);

  // After look() said yes: the thread has done nothing since.
  bool still();

 private:
  bool has_run();

  pid_t thread_;
  CallFile file_;
  std::string line_;        // the kernel's view
  std::int64_t ran_ = -1;   // nanoseconds that the thread has been on a processor,
  std::int64_t since_ = 0;  // and when that was first seen
};

}  // namespace raddle::monitor
