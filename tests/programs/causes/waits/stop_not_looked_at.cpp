// A kitchen's cook waits until there is an order. Closing time wakes it, but what it waits for does
// not say anything about closing time.
// cause: unwatched-change
// object: kitchen.ready_
// says: and did not look at it again before it waited
// seen: add it to the condition of that wait
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Kitchen {
 public:
  Kitchen() : cook_([this] { cook(); }) {}
  ~Kitchen() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;  // [first]
    }
    ready_.notify_all();
    cook_.join();
  }
  void order(int dish) {
    {
      const std::lock_guard lock(mutex_);
      orders_.push_back(dish);
    }
    ready_.notify_one();
  }

 private:
  void cook() {
    for (;;) {
      std::unique_lock lock(mutex_);
      if (closed_ && orders_.empty()) return;
#ifdef FIXED
      ready_.wait(lock, [this] { return closed_ || !orders_.empty(); });
      if (orders_.empty()) return;
#else
      ready_.wait(lock, [this] { return !orders_.empty(); });  // [last]
#endif
      orders_.pop_front();
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<int> orders_;
  bool closed_ = false;
  std::thread cook_;
};

int main() {
  Kitchen kitchen;
  kitchen.order(7);
}
