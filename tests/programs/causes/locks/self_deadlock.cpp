// When the cache is full, put() calls trim(), which takes the lock that put() holds.
// cause: self-deadlock
// object: cache.mutex_
#include <mutex>
#include <thread>

class Cache {
 public:
  void put() {
    const std::lock_guard lock(mutex_);  // [first]
    ++entries_;
#ifdef FIXED
    if (entries_ > 1) --entries_;
#else
    if (entries_ > 1) trim();
#endif
  }
  void trim() {
    const std::lock_guard lock(mutex_);  // [last]
    --entries_;
  }

 private:
  std::mutex mutex_;
  int entries_ = 0;
} cache;

int main() {
  std::thread one([] { cache.put(), cache.trim(); });
  std::thread two([] { cache.put(), cache.trim(); });
  one.join();
  two.join();
}
