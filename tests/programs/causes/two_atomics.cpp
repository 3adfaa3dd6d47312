// Both ends of the range are atomic; the range is not.
// cause: torn-pair
// object: low
// also: -O0
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
std::atomic<int> low{0};
std::atomic<int> high{10};

void move(int distance) {
#ifdef FIXED
  const std::lock_guard lock(mutex);
#endif
  low += distance;
  high += distance;
}

int width() {
#ifdef FIXED
  const std::lock_guard lock(mutex);
#endif
  const int from = low;  // [first]
  return high - from;    // [last]
}

int main() {
  std::thread mover(move, 5);
  const int seen = width();
  assert(seen == 10);
  mover.join();
}
