// A bounded first-in first-out queue. Any thread may call anything.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

namespace components {

struct QueueFull : std::runtime_error {
  QueueFull() : runtime_error("the queue is full") {}
};

template <typename T>
class BlockingQueue {
 public:
  explicit BlockingQueue(std::size_t capacity) : capacity_(capacity) {}

  // Never waits: throws QueueFull instead.
  void add(T value) {
    const std::lock_guard lock(mutex_);
    if (closed_ || items_.size() == capacity_) throw QueueFull();
    push(std::move(value));
  }

  // Waits for room; false if the queue was closed before there was some.
  bool put(T value) {
    std::unique_lock lock(mutex_);
    if (!closed_ && items_.size() == capacity_) ++waits_;
    not_full_.wait(lock, [this] { return closed_ || items_.size() < capacity_; });
    if (closed_) return false;
    push(std::move(value));
    return true;
  }

  // Waits for an item; none if the queue is closed and empty.
  std::optional<T> take() {
    std::unique_lock lock(mutex_);
    if (!closed_ && items_.empty()) ++waits_;
    not_empty_.wait(lock, [this] { return closed_ || !items_.empty(); });
    return pop();
  }

  std::optional<T> take_for(std::chrono::nanoseconds patience) {
    std::unique_lock lock(mutex_);
    if (!closed_ && items_.empty()) ++waits_;
    not_empty_.wait_for(lock, patience, [this] { return closed_ || !items_.empty(); });
    return pop();
  }

  std::optional<T> try_take() {
    const std::lock_guard lock(mutex_);
    return pop();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    not_full_.notify_all();
    not_empty_.notify_all();
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }

  // How many calls have had to wait so far.
  std::size_t waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

 private:
  void push(T value) {
    items_.push_back(std::move(value));
    not_empty_.notify_one();
  }

  std::optional<T> pop() {
    if (items_.empty()) return std::nullopt;
    std::optional<T> value(std::move(items_.front()));
    items_.pop_front();
    not_full_.notify_one();
    return value;
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::deque<T> items_;
  std::size_t waits_ = 0;
  bool closed_ = false;
};

}  // namespace components
