// Three bakers bake, and the shop opens when two of them are done: the count begins with too few.
// cause: made-for-too-few
// object: bakery.busy_
// says: begin bakery.busy_ with as many as it is counted down: 3
// also: -O0
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

class Bakery {
 public:
#ifdef FIXED
  explicit Bakery(int bakers) : busy_(bakers) {}
#else
  explicit Bakery(int bakers) : busy_(bakers - 1) {}  // [first]
#endif
  void bake(int loaves) {
    {
      const std::lock_guard lock(shelf_mutex_);
      loaves_ += loaves;
    }
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_all();
  }
  int open() {
    {
      std::unique_lock lock(mutex_);
      done_.wait(lock, [this] { return busy_ == 0; });  // [last]
    }
    const std::lock_guard lock(shelf_mutex_);
    return loaves_;
  }

 private:
  std::mutex mutex_;
  std::mutex shelf_mutex_;
  std::condition_variable done_;
  int busy_;
  int loaves_ = 0;
};

int main() {
  Bakery bakery(3);
  std::vector<std::thread> bakers;
  for (int i = 0; i < 3; ++i) bakers.emplace_back([&] { bakery.bake(10); });
  const int loaves = bakery.open();
  for (std::thread& baker : bakers) baker.join();
  assert(loaves == 30);
}
