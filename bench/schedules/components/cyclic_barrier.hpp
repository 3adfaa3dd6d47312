// A meeting point for a fixed number of threads, again and again. Any thread may call anything.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>

#include "bench/schedules/components/interrupted.hpp"

namespace components {

struct BrokenBarrier : std::runtime_error {
  BrokenBarrier() : runtime_error("the barrier is broken") {}
};

class CyclicBarrier {
 public:
  explicit CyclicBarrier(std::size_t parties) : parties_(parties), missing_(parties) {}

  // Waits for the others. Returns how many were still missing: 0 for the last one. If one of them
  // is asked to stop, it leaves with Interrupted and the others with BrokenBarrier; they do so too
  // after reset().
  std::size_t await(const std::stop_token& stop = {}) {
    std::unique_lock lock(mutex_);
    const std::shared_ptr<Round> round = round_;
    if (round->broken) throw BrokenBarrier();
    const std::size_t index = --missing_;
    if (index == 0) {
      round->complete = true;
      next_round();
      return 0;
    }
    if (!changed_.wait(lock, stop, [&] { return round->complete || round->broken; })) {
      round->broken = true;
      changed_.notify_all();
      throw Interrupted();
    }
    if (round->broken) throw BrokenBarrier();
    return index;
  }

  // Sends those who wait away, and begins anew.
  void reset() {
    const std::lock_guard lock(mutex_);
    round_->broken = true;
    next_round();
  }

  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return round_->broken ? 0 : parties_ - missing_;
  }

 private:
  struct Round {
    bool complete = false;
    bool broken = false;
  };

  void next_round() {
    round_ = std::make_shared<Round>();
    missing_ = parties_;
    changed_.notify_all();
  }

  const std::size_t parties_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<Round> round_ = std::make_shared<Round>();
  std::size_t missing_;
};

}  // namespace components
