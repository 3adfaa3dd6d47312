// A waiter asks without the lock whether the kitchen has closed, and puts an order with it. The
// cook goes home in between, and cooks what was put no more.
// cause: check-then-act
// object: kitchen.closed_
// says: hold kitchen.mutex_ from
// seen: and wrote kitchen.orders_ at
// never: keep T
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Kitchen {
 public:
  Kitchen() : cook_([this] { cook(); }) {}

  bool order(int dish) {
#ifdef FIXED
    std::lock_guard lock(mutex_);
    if (closed_) return false;
    orders_.push_back(dish);
#else
    if (closed_) return false;  // [first]
    {
      std::lock_guard lock(mutex_);
      orders_.push_back(dish);  // [last]
    }
#endif
    put_.notify_one();
    return true;
  }

  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    put_.notify_one();
    cook_.join();
  }

  int cooked() const { return cooked_; }

 private:
  void cook() {
    std::unique_lock lock(mutex_);
    for (;;) {
      put_.wait(lock, [this] { return closed_ || !orders_.empty(); });
      if (orders_.empty()) return;
      orders_.pop_front();
      ++cooked_;
    }
  }

  std::mutex mutex_;
  std::condition_variable put_;
  std::deque<int> orders_;
  std::atomic<bool> closed_ = false;
  int cooked_ = 0;
  std::thread cook_;
};

int main() {
  Kitchen kitchen;
  int taken = 0;
  std::thread waiter([&] {
    for (int dish = 0; dish < 2; ++dish)
      if (kitchen.order(dish)) ++taken;
  });
  kitchen.close();
  waiter.join();
  assert(kitchen.cooked() == taken);
}
