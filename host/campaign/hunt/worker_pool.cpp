#include "host/campaign/hunt/worker_pool.hpp"

#include <algorithm>
#include <chrono>

namespace raddle {
namespace {

constexpr std::chrono::milliseconds kTickPeriod{100};

}  // namespace

WorkerPool::WorkerPool(const Workers& workers) {
  threads_.reserve(workers.size());
  for (const auto& worker : workers) threads_.emplace_back([this, &worker] { work(*worker); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(std::size_t count, const Job& job, const std::function<void()>& tick) {
  std::unique_lock lock(mutex_);
  job_ = &job;
  next_ = 0;
  count_ = count;
  changed_.notify_all();
  const auto all_done = [this] { return next_ >= count_ && underway_ == 0; };
  while (!changed_.wait_for(lock, kTickPeriod, all_done)) {
    lock.unlock();
    tick();
    lock.lock();
  }
  job_ = nullptr;
}

void WorkerPool::work(Worker& worker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || (job_ != nullptr && next_ < count_); });
    if (ending_) return;
    const std::size_t number = next_++;
    const Job& job = *job_;
    ++underway_;
    lock.unlock();
    const bool go_on = job(worker, number);
    lock.lock();
    --underway_;
    if (!go_on) count_ = std::min(count_, next_);
    if (next_ >= count_ && underway_ == 0) changed_.notify_all();
  }
}

}  // namespace raddle
