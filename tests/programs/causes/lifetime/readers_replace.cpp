// Two threads replace what a pointer has, both with the lock for reading only.
// cause: use-after-free
// object: stock.price_
// says: Both hold stock.mutex_ for reading only
// never: T1 for reading only
// never: T2 for reading only
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <thread>

struct Price {
  int cents = 100;
};

class Stock {
 public:
  void raise() {
#ifdef FIXED
    const std::unique_lock lock(mutex_);
#else
    const std::shared_lock lock(mutex_);
#endif
    Price* const old = price_;
    Price* const next = new Price;
    next->cents = old->cents + 1;  // [last]
    price_ = next;
    delete old;  // [first]
  }

 private:
  std::shared_mutex mutex_;
  Price* price_ = new Price;
} stock;

int main() {
  std::thread other([] { stock.raise(); });
  stock.raise();
  other.join();
}
