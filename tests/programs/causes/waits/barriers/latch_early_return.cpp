// One of the workers returns without counting down.
// cause: unreached-value
// object: ready
// says: ended without changing it
#include <atomic>
#include <latch>
#include <thread>

std::atomic<int> next{0};
std::latch ready(2);

void work() {
  if (next++ == 1) {
#ifdef FIXED
    ready.count_down();
#endif
    return;
  }
  ready.count_down();  // [first]
}

int main() {
  std::thread one(work);
  std::thread two(work);
  ready.wait();  // [last]
  one.join();
  two.join();
}
