#include "host/cli/suite/local_queue.hpp"

#include <fmt/format.h>

#include "host/cli/suite/item_runner.hpp"

namespace raddle {

LocalQueue::LocalQueue(std::uint32_t workers, const std::atomic<bool>& stop) : stop_(stop) {
  for (std::uint32_t number = 0; number < workers; ++number)
    threads_.emplace_back([this, number] { work(number); });
}

LocalQueue::~LocalQueue() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    cancelled_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void LocalQueue::work(std::uint32_t number) {
  ItemRunner runner(
      {.name = fmt::format("{}", number + 1), .stop = &cancelled_, .alive = {}, .prepare = {}});
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ended_ || (!items_.empty() && !cancelled_); });
    if (ended_) return;
    const Item item = std::move(items_.front());
    items_.pop_front();
    ++busy_;
    lock.unlock();
    std::optional<ItemResult> result = runner.run(item);
    lock.lock();
    --busy_;
    if (result) results_.push_back(std::move(*result));
    changed_.notify_all();
  }
}

Result<std::monostate> LocalQueue::publish(const std::vector<Item>& items) {
  const std::lock_guard lock(mutex_);
  items_.insert(items_.end(), items.begin(), items.end());
  changed_.notify_all();
  return std::monostate{};
}

Result<std::optional<ItemResult>> LocalQueue::next(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return !results_.empty(); });
  if (stop_.load()) cancelled_ = true;
  if (results_.empty()) return std::optional<ItemResult>{};
  std::optional<ItemResult> result = std::move(results_.front());
  results_.pop_front();
  return result;
}

void LocalQueue::cancel() {
  std::unique_lock lock(mutex_);
  items_.clear();
  cancelled_ = true;
  if (stop_.load()) return;  // the process ends, and does not wait for what is under way
  // What is under way ends at once; then others may come.
  changed_.wait(lock, [this] { return busy_ == 0; });
  results_.clear();
  cancelled_ = stop_.load();
}

}  // namespace raddle
