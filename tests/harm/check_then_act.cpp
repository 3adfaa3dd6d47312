// Two threads want the same entry of a cache. Whether it is there and putting it there are locked,
// each by itself; so both may load it. Nothing asserts that.
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>

class Cache {
 public:
  bool has(int key) {
    const std::lock_guard lock(mutex_);
    return entries_.count(key) != 0;
  }
  void put(int key, int value) {
    const std::lock_guard lock(mutex_);
    entries_[key] = value;
    ++loads_;
  }
  void put_once(int key, int value) {
    const std::lock_guard lock(mutex_);
    if (!entries_.emplace(key, value).second) return;
    ++loads_;
  }
  int loads() {
    const std::lock_guard lock(mutex_);
    return loads_;
  }

 private:
  std::mutex mutex_;
  std::map<int, int> entries_;
  int loads_ = 0;
};

static Cache cache;

__attribute__((noinline)) static void load(Cache& one, int key) {
#ifdef FIXED
  one.put_once(key, 2 * key);
#else
  if (!one.has(key)) one.put(key, 2 * key);
#endif
}

int main() {
  std::thread first([] { load(cache, 1); });
  std::thread second([] { load(cache, 1); });
  first.join();
  second.join();
  std::printf("loads: %d\n", cache.loads());
  return 0;
}
