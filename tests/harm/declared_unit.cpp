// What the annotation declares to be one unit is all that a thread does, and another thread sees it
// half done. It does no harm here: nobody keeps what was seen.
#include <mutex>
#include <thread>

#include "raddle/annotations.hpp"

#ifdef SET  // the functions of a class with an annotated set are units, too
#define UNIT
#define IN_SET RADDLE_ATOMIC_SET("range")
#else
#define UNIT RADDLE_UNIT
#define IN_SET
#endif

class Range {
 public:
  UNIT __attribute__((noinline)) void move(int by) {
#ifdef FIXED
    const std::lock_guard whole(unit_);
#endif
    set_low(by);
    set_high(by);
  }
  UNIT __attribute__((noinline)) int width() {
#ifdef FIXED
    const std::lock_guard whole(unit_);
#endif
    const int low = get_low();
    return get_high() - low;
  }

 private:
  void set_low(int value) {
    const std::lock_guard lock(mutex_);
    low_ = value;
  }
  void set_high(int value) {
    const std::lock_guard lock(mutex_);
    high_ = value;
  }
  int get_low() {
    const std::lock_guard lock(mutex_);
    return low_;
  }
  int get_high() {
    const std::lock_guard lock(mutex_);
    return high_;
  }

  std::mutex unit_, mutex_;
  IN_SET int low_ = 0;
  IN_SET int high_ = 0;
};

static Range range;

int main() {
  std::thread mover([] { range.move(10); });
  std::thread reader([] { (void)range.width(); });
  mover.join();
  reader.join();
  return 0;
}
