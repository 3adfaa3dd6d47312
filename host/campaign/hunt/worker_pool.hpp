// A thread for each worker of a hunt. They do one batch of jobs after another; what the jobs of a
// batch do must not depend on each other, so it does not matter who does which, or when.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "host/process/worker.hpp"

namespace raddle {

class WorkerPool {
 public:
  // False: no job of the batch with a higher number is begun.
  using Job = std::function<bool(Worker& worker, std::size_t number)>;

  explicit WorkerPool(const Workers& workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Jobs 0 to `count`, not included, begun in this order; returns when those that were begun have
  // ended. `tick` is called on this thread, some ten times a second, with no job kept waiting.
  void run(std::size_t count, const Job& job, const std::function<void()>& tick);

 private:
  void work(Worker& worker);

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  const Job* job_ = nullptr;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::size_t underway_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace raddle
