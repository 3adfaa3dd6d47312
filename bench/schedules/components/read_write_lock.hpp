// Many readers or one writer; a waiting writer goes before readers that come later. Works with
// std::shared_lock and std::unique_lock.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace components {

class ReadWriteLock {
 public:
  void lock_shared() {
    std::unique_lock lock(mutex_);
    if (!may_read()) ++waits_;
    changed_.wait(lock, [this] { return may_read(); });
    ++readers_;
  }

  bool try_lock_shared() {
    const std::lock_guard lock(mutex_);
    if (!may_read()) return false;
    ++readers_;
    return true;
  }

  void unlock_shared() {
    const std::lock_guard lock(mutex_);
    if (--readers_ == 0) changed_.notify_all();
  }

  void lock() {
    std::unique_lock lock(mutex_);
    if (!may_write()) ++waits_;
    ++writers_waiting_;
    changed_.wait(lock, [this] { return may_write(); });
    --writers_waiting_;
    writing_ = true;
  }

  bool try_lock() {
    const std::lock_guard lock(mutex_);
    if (!may_write()) return false;
    writing_ = true;
    return true;
  }

  void unlock() {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    changed_.notify_all();
  }

  std::size_t readers() const {
    const std::lock_guard lock(mutex_);
    return readers_;
  }

  // How many calls have had to wait so far.
  std::size_t waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

 private:
  bool may_read() const { return !writing_ && writers_waiting_ == 0; }
  bool may_write() const { return !writing_ && readers_ == 0; }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t readers_ = 0;
  std::size_t writers_waiting_ = 0;
  std::size_t waits_ = 0;
  bool writing_ = false;
};

}  // namespace components
