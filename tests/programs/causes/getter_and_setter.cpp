// The level is read by one call and set by another, each of them locked; nothing is checked.
// cause: lost-update
// object: tank.level_
// says: over what
// seen: level() and fill() lock it themselves
#include <cassert>
#include <mutex>
#include <thread>

class Tank {
 public:
  int level() {
    const std::lock_guard lock(mutex_);
    return level_;
  }
  void fill(int level) {
    const std::lock_guard lock(mutex_);
    level_ = level;
  }
  void add(int litres) {
    const std::lock_guard lock(mutex_);
    level_ += litres;
  }

 private:
  std::mutex mutex_;
  int level_ = 40;
} tank;

void pour(int litres) {
#ifdef FIXED
  tank.add(litres);
#else
  const int level = tank.level();  // [first]
  tank.fill(level + litres);       // [last]
#endif
}

int main() {
  std::thread one([] { pour(5); });
  std::thread other([] { pour(7); });
  one.join();
  other.join();
  assert(tank.level() == 52);
}
