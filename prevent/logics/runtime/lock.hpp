// A lock for a few instructions: two atomic operations if nobody else is there, and the kernel only
// if somebody is for long. Not a std::mutex: where Raddle is in control, that would be a step of
// the execution, and one thread runs at a time anyway.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace raddle::logics {

class Lock {
 public:
  void lock() {
    std::uint32_t expected = 0;
    if (state_.compare_exchange_strong(expected, 1, std::memory_order_acquire)) return;
    lock_slowly();
  }
  void unlock() {
    if (state_.exchange(0, std::memory_order_release) == 2)
      syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

 private:
  void lock_slowly() {
    for (int turn = 0; turn < 100; ++turn) {
      std::uint32_t expected = 0;
      if (state_.load(std::memory_order_relaxed) == 0 &&
          state_.compare_exchange_strong(expected, 1, std::memory_order_acquire))
        return;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
    while (state_.exchange(2, std::memory_order_acquire) != 0)
      syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, 2, nullptr, nullptr, 0);
  }

  std::atomic<std::uint32_t> state_{0};  // 0: free, 1: held, 2: held, and others may sleep
};

}  // namespace raddle::logics
