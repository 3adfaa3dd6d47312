// Two fields behind one lock, each read by its own getter: who calls both may see one from before a
// move and one from after it. With SAFE both are read at once. With DECLARED the fields are
// declared to belong together.
#include <mutex>
#include <thread>

#ifdef DECLARED
#include <raddle/annotations.hpp>
#define TOGETHER RADDLE_ATOMIC_SET("point")
#else
#define TOGETHER
#endif

class Point {
 public:
  void move(int x, int y) {
    const std::lock_guard<std::mutex> hold(lock_);
    x_ = x;
    y_ = y;
  }
  int x() {
    const std::lock_guard<std::mutex> hold(lock_);
    return x_;
  }
  int y() {
    const std::lock_guard<std::mutex> hold(lock_);
    return y_;
  }
  int sum() {
#ifdef SAFE
    const std::lock_guard<std::mutex> hold(lock_);
    const int sum = x_ + y_;
#else
    const int sum = x() + y();
#endif
    return sum;
  }

 private:
  std::mutex lock_;
  TOGETHER int x_ = 0;
  TOGETHER int y_ = 0;
};

static Point point;
int kept;

__attribute__((noinline)) void work() { kept = point.sum(); }

int main() {
  std::thread mover([] { point.move(1, 1); });
  std::thread looker([] { work(); });
  mover.join();
  looker.join();
  return 0;
}
