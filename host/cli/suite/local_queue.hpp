// The queue of a suite that runs on this machine alone: a thread and an ItemRunner for each worker.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "host/campaign/suite/item_queue.hpp"

namespace raddle {

class LocalQueue final : public ItemQueue {
 public:
  LocalQueue(std::uint32_t workers, const std::atomic<bool>& stop);
  ~LocalQueue() override;

  Result<std::monostate> offer(std::vector<SuiteTest>&) override { return std::monostate{}; }
  Result<std::monostate> publish(const std::vector<Item>& items) override;
  Result<std::optional<ItemResult>> next(std::chrono::milliseconds patience) override;
  void stored() override {}
  void cancel() override;
  QueueStatus status() override { return {.workers = threads_.size(), .stragglers = {}}; }

 private:
  void work(std::uint32_t number);

  const std::atomic<bool>& stop_;       // of the user
  std::atomic<bool> cancelled_{false};  // of what runs: the user's, or ours
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::deque<ItemResult> results_;
  bool ended_ = false;
  std::uint64_t busy_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace raddle
