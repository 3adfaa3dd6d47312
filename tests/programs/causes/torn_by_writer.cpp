// Both ends are guarded by one mutex, which the writer gives up between the two.
// cause: torn-pair
// object: window.low
// says: write both in one function that locks window.mutex once
// never: guard both with one mutex
// never: between the two reads
#include <cassert>
#include <mutex>
#include <thread>

struct Window {
  std::mutex mutex;
  int low = 0;
  int high = 10;
} window;

void set_low(int value) {
  const std::lock_guard lock(window.mutex);
  window.low = value;
}

void set_high(int value) {
  const std::lock_guard lock(window.mutex);
  window.high = value;
}

void move(int by) {
#ifdef FIXED
  const std::lock_guard lock(window.mutex);
  window.low += by;
  window.high += by;
#else
  set_low(by);
  set_high(10 + by);
#endif
}

void check_width() {
  const std::lock_guard lock(window.mutex);
  const int low = window.low;    // [first]
  const int high = window.high;  // [last]
  assert(high - low == 10);
}

int main() {
  std::thread mover(move, 3);
  check_width();
  mover.join();
}
