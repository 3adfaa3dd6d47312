// Whoever rings goes through a tower's bells after the lock is given back; one more bell makes the
// vector move to another block. What rings meets memory that was freed, or bells that have moved.
// cause: use-after-free
// object: or element of or std::function
// says: hold tower.mutex_
// seen: only reads it
// causes: 1
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

class Tower {
 public:
  using Bell = std::function<void(int)>;

  void hang(Bell bell) {
    std::unique_lock lock(mutex_);
    bells_.push_back(std::move(bell));  // [first]
  }

  void ring(int times) {
#ifdef FIXED
    const std::vector<Bell> bells = [this] {
      std::shared_lock lock(mutex_);
      return bells_;
    }();
    for (const Bell& bell : bells) bell(times);
#else
    for (const Bell& bell : all()) bell(times);  // [last]
#endif
  }

 private:
  const std::vector<Bell>& all() {
    std::shared_lock lock(mutex_);
    return bells_;
  }

  std::shared_mutex mutex_;
  std::vector<Bell> bells_;
};

int main() {
  Tower tower;
  int heard = 0;
  tower.hang([&heard](int times) { heard += times; });
  std::thread sexton([&tower] { tower.ring(3); });
  std::thread founder([&tower] { tower.hang([](int) {}); });
  sexton.join();
  founder.join();
  return heard == 3 ? 0 : 1;
}
