// A lock for reading is given up, one for writing is taken, and nobody looks again.
// cause: lock-reacquired
// object: registry.mutex_
// says: T2 held it in between
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

class Registry {
 public:
  int get(const std::string& host) {
    {
      const std::shared_lock lock(mutex_);  // [first]
      const auto known = opened_.find(host);
      if (known != opened_.end()) return known->second;
    }
    const std::unique_lock lock(mutex_);  // [last]
#ifdef FIXED
    if (opened_.count(host) > 0) return opened_[host];
#endif
    opened_[host] = ++count_;
    return count_;
  }
  int count() {
    const std::shared_lock lock(mutex_);
    return count_;
  }

 private:
  std::shared_mutex mutex_;
  std::map<std::string, int> opened_;
  int count_ = 0;
};

int main() {
  Registry registry;
  std::thread one([&] { registry.get("db"); });
  std::thread two([&] { registry.get("db"); });
  one.join();
  two.join();
  assert(registry.count() == 1);
}
