// A door that opens for ever when it has been counted down to zero. Any thread may call anything.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace components {

class Latch {
 public:
  explicit Latch(std::size_t count) : count_(count) {}

  void count_down() {
    const std::lock_guard lock(mutex_);
    if (count_ > 0 && --count_ == 0) opened_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    if (count_ > 0) ++waits_;
    opened_.wait(lock, [this] { return count_ == 0; });
  }

  // Whether the latch opened in time.
  bool wait_for(std::chrono::nanoseconds patience) {
    std::unique_lock lock(mutex_);
    if (count_ > 0) ++waits_;
    return opened_.wait_for(lock, patience, [this] { return count_ == 0; });
  }

  // How many calls have had to wait so far.
  std::size_t waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable opened_;
  std::size_t count_;
  std::size_t waits_ = 0;
};

}  // namespace components
