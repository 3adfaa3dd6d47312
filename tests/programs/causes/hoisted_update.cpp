// Two threads count without a lock. The compiler reads the counter once, before the loop.
// cause: lost-update
// object: counter
#include <cassert>
#include <mutex>
#include <thread>

int main() {
  int counter = 0;
  std::mutex mutex;
  auto count = [&counter, &mutex] {
#ifdef FIXED
    std::lock_guard<std::mutex> hold(mutex);
#endif
    for (int i = 0; i < 3; ++i) counter = counter + 1;  // [first] [last]
    (void)mutex;
  };
  std::thread first(count), second(count);
  first.join();
  second.join();
  assert(counter == 6);
}
