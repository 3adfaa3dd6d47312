// The order lives on the stack of who waits for it. The cook says that it is ready, and rings when
// the guest may have left. What the kitchen is told before and after has nothing to do with it.
// cause: use-after-destruction
// object: order.ready
// says: notify before order.mutex is released
// never: one new and one old
// never: guard both
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

struct Order {
  int dish = 0;
  bool done = false;
  std::mutex mutex;
  std::condition_variable ready;
};

class Kitchen {
 public:
  ~Kitchen() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_one();
    cook_.join();
  }
  int serve(int dish) {
    Order order;
    order.dish = dish;
    {
      const std::lock_guard lock(mutex_);
      orders_.push_back(&order);
    }
    changed_.notify_one();
    std::unique_lock lock(order.mutex);
    order.ready.wait(lock, [&] { return order.done; });
    return order.dish;
  }  // [first]

 private:
  void cook() {
    for (;;) {
      Order* order = nullptr;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || !orders_.empty(); });
        if (orders_.empty()) return;
        order = orders_.front();
        orders_.pop_front();
      }
#ifdef FIXED
      const std::lock_guard lock(order->mutex);
      order->dish *= 2;
      order->done = true;
      order->ready.notify_one();
#else
      {
        const std::lock_guard lock(order->mutex);
        order->dish *= 2;
        order->done = true;
      }
      order->ready.notify_one();  // [last]
#endif
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Order*> orders_;
  bool closed_ = false;
  std::thread cook_{[this] { cook(); }};
};

int main() {
  Kitchen kitchen;
  const int first = kitchen.serve(3);
  const int second = kitchen.serve(4);
  return first + second == 14 ? 0 : 1;
}
