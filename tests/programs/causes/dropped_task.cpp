// A worker that is stopped leaves what is queued: its promise is destroyed without a value.
// cause: came-too-early
// object: worker.stop_
// says: destroyed a promise at dropped_task.cpp:32
// seen: fulfil the promise before it is destroyed at dropped_task.cpp:
// never: let T0 wait
#include <cassert>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  std::future<int> submit() {
    std::packaged_task<int()> task([] { return 42; });
    std::future<int> result = task.get_future();
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_one();
    return result;
  }
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;  // [first]
      changed_.notify_one();
    }
    thread_.join();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stop_ || !tasks_.empty(); });  // [last]
#ifdef FIXED
      if (tasks_.empty()) return;
#else
      if (stop_) return;
#endif
      tasks_.front()();
      tasks_.pop_front();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<int()>> tasks_;
  bool stop_ = false;
  std::thread thread_;
};

int main() {
  std::future<int> answer;
  {
    Worker worker;
    answer = worker.submit();
  }
  assert(answer.get() == 42);
}
