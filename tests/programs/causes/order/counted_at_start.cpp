// The cashier waits until all clerks have begun to count, not until they are done. That one clerk
// came between begin() and end() of the other is no mistake.
// cause: came-too-early
// object: till.coins_
// never: do both in one function
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Till {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    ++begun_;
    changed_.notify_all();
  }
  void end(int drawer, long coins) {
    const std::lock_guard lock(mutex_);
    coins_[drawer] = coins;  // [last]
    ++done_;
    changed_.notify_all();
  }
  long total() {
    std::unique_lock lock(mutex_);
#ifdef FIXED
    changed_.wait(lock, [this] { return done_ == 2; });
#else
    changed_.wait(lock, [this] { return begun_ == 2; });
#endif
    return coins_[0] + coins_[1];  // [first]
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0;
  int done_ = 0;
  long coins_[2] = {0, 0};
} till;

void count(int drawer) {
  till.begin();
  long coins = 0;
  for (int i = 1; i <= 4; ++i) coins += i;
  till.end(drawer, coins);
}

int main() {
  std::thread one(count, 0);
  std::thread other(count, 1);
  const long total = till.total();
  one.join();
  other.join();
  assert(total == 20);
}
