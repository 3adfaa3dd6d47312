// Watchers are copied under a lock and called without it; one is taken off the list and destroyed
// in between. The thread that calls it is not its own: its destructor cannot wait for that.
// cause: use-after-free
// object: Light #1@watcher_of_another.cpp or std::basic_string or block
// causes: 1
// says: hold door.mutex_ from
// seen: or let T1 own it, too, from there on (std::shared_ptr)
// never: first thing in
// never: declared after
#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void opened(int times) = 0;
};

class Door {
 public:
  void add(Watcher* watcher) {
    const std::lock_guard lock(mutex_);
    watchers_.push_back(watcher);
  }
  void remove(Watcher* watcher) {
    const std::lock_guard lock(mutex_);
    std::erase(watchers_, watcher);
  }
  void open() {
#ifdef FIXED
    const std::lock_guard lock(mutex_);
    for (Watcher* watcher : watchers_) watcher->opened(1);
#else
    std::vector<Watcher*> all;
    {
      const std::lock_guard lock(mutex_);
      all = watchers_;
    }
    for (Watcher* watcher : all) watcher->opened(1);  // [last]
#endif
  }

 private:
  std::mutex mutex_;
  std::vector<Watcher*> watchers_;
};

class Light : public Watcher {
 public:
  void opened(int times) override {
    const std::lock_guard lock(mutex_);  // [last]
    times_.push_back(times);             // [last]
  }

 private:
  std::mutex mutex_;
  std::vector<int> times_;
};

int main() {
  Door door;
  auto light = std::make_unique<Light>();
  door.add(light.get());
  std::thread visitor([&door] { door.open(); });
  door.remove(light.get());
  light.reset();  // [first]
  visitor.join();
}
