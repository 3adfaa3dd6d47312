// Two threads count with an atomic counter.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> counter = 0;
  auto count = [&counter] {
    for (int i = 0; i < 3; ++i) ++counter;
  };
  std::thread first(count), second(count);
  first.join();
  second.join();
  assert(counter == 6);
}
