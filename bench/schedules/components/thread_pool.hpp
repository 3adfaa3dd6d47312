// A fixed number of workers and a queue of tasks. Any thread may call anything but the destructor.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace components {

struct PoolClosed : std::runtime_error {
  PoolClosed() : runtime_error("the pool takes no more tasks") {}
};

class ThreadPool {
 public:
  explicit ThreadPool(std::size_t workers) {
    for (std::size_t i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs what is queued, and ends the workers.
  ~ThreadPool() {
    shutdown();
    for (std::thread& worker : workers_) worker.join();
  }

  void submit(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    if (closed_) throw PoolClosed();
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }

  // No more tasks from now on.
  void shutdown() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // No more tasks, not even those that are queued. Returns how many were.
  std::size_t shutdown_now() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    const std::size_t dropped = tasks_.size();
    tasks_.clear();
    changed_.notify_all();
    return dropped;
  }

  // Waits until no task is queued and none runs.
  void wait_idle() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return tasks_.empty() && active_ == 0; });
  }

  std::size_t queued() const {
    const std::lock_guard lock(mutex_);
    return tasks_.size();
  }

  std::size_t active() const {
    const std::lock_guard lock(mutex_);
    return active_;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      ++active_;
      lock.unlock();
      task();
      lock.lock();
      --active_;
      changed_.notify_all();
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::size_t active_ = 0;
  bool closed_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace components
