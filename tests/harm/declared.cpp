// The two fields are declared to belong together, and a reader sees them apart. It does no harm
// here: the reader throws away what it sees. But it was declared.
#include <atomic>
#include <mutex>
#include <thread>

#include "raddle/annotations.hpp"

class Range {
 public:
  __attribute__((noinline)) void move(int by) {
    set_low(by);
    set_high(by);
  }
  __attribute__((noinline)) int width() {
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

  std::mutex mutex_;
  RADDLE_ATOMIC_SET("range") int low_ = 0;
  RADDLE_ATOMIC_SET("range") int high_ = 0;
};

static Range range;
static std::atomic<int> calls{0};

static void shift() {
  range.move(10);
  ++calls;
}

static void look() {
  (void)range.width();
  ++calls;
}

int main() {
  std::thread mover(shift);
  std::thread reader(look);
  mover.join();
  reader.join();
  return 0;
}
