// Each of the two cooks takes an order, asks the kitchen for a sauce and waits for it: nobody is
// left to make one.
// cause: unfulfilled-futures
// object: a future
// says: In the middle of tasks themselves are: T
// seen: do not wait for a future in a task
// shows: waits on a future
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Kitchen {
 public:
  explicit Kitchen(int cooks) {
    for (int i = 0; i < cooks; ++i) cooks_.emplace_back([this] { cook(); });
  }
  ~Kitchen() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    more_.notify_all();
    for (std::thread& cook : cooks_) cook.join();
  }
  std::future<int> order(std::function<int()> dish) {
    auto task = std::make_shared<std::packaged_task<int()>>(std::move(dish));
    {
      const std::lock_guard lock(mutex_);
      orders_.emplace_back([task] { (*task)(); });
    }
    more_.notify_one();
    return task->get_future();
  }

 private:
  void cook() {
    for (;;) {
      std::function<void()> next;
      {
        std::unique_lock lock(mutex_);
        more_.wait(lock, [this] { return closed_ || !orders_.empty(); });
        if (orders_.empty()) return;
        next = std::move(orders_.front());
        orders_.pop_front();
      }
      next();
    }
  }

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> orders_;
  bool closed_ = false;
  std::vector<std::thread> cooks_;
};

int sauce() { return 2; }

int main() {
  Kitchen kitchen(2);
  const auto pasta = [&] {
#ifdef FIXED
    return 10 + sauce();
#else
    std::future<int> made = kitchen.order(sauce);
    return 10 + made.get();  // [first]
#endif
  };
  std::future<int> one = kitchen.order(pasta);
  std::future<int> other = kitchen.order(pasta);
  return one.get() + other.get() == 24 ? 0 : 1;  // [last]
}
