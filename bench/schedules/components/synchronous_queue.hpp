// A queue without room: put and take meet, the longest waiting first. Any thread may call anything.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "bench/schedules/components/interrupted.hpp"

namespace components {

template <typename T>
class SynchronousQueue {
 public:
  // Waits until somebody takes the value; throws Interrupted if a stop is requested before that.
  void put(T value, const std::stop_token& stop = {}) {
    std::unique_lock lock(mutex_);
    if (hand_over(value)) return;
    Waiting self{std::move(value)};
    wait(lock, stop, putters_, self);
  }

  // Waits until somebody puts a value; throws Interrupted if a stop is requested before that.
  T take(const std::stop_token& stop = {}) {
    std::unique_lock lock(mutex_);
    if (std::optional<T> value = receive()) return std::move(*value);
    Waiting self;
    wait(lock, stop, takers_, self);
    return std::move(*self.value);
  }

  // True if a taker was waiting and has the value now.
  bool offer(T value) {
    const std::lock_guard lock(mutex_);
    return hand_over(value);
  }

  // The value of a putter who was waiting.
  std::optional<T> poll() {
    const std::lock_guard lock(mutex_);
    return receive();
  }

  // How many calls have had to wait so far.
  std::size_t waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

 private:
  struct Waiting {
    std::optional<T> value;
    bool met = false;
  };
  using Line = std::deque<Waiting*>;

  bool hand_over(T& value) {
    if (takers_.empty()) return false;
    takers_.front()->value = std::move(value);
    meet(takers_);
    return true;
  }

  std::optional<T> receive() {
    if (putters_.empty()) return std::nullopt;
    std::optional<T> value = std::move(putters_.front()->value);
    meet(putters_);
    return value;
  }

  void meet(Line& line) {
    line.front()->met = true;
    line.pop_front();
    changed_.notify_all();
  }

  void wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop, Line& line,
            Waiting& self) {
    ++waits_;
    line.push_back(&self);
    if (changed_.wait(lock, stop, [&] { return self.met; })) return;
    std::erase(line, &self);
    throw Interrupted();
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Line putters_;
  Line takers_;
  std::size_t waits_ = 0;
};

}  // namespace components
