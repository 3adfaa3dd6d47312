// The result is read when the thread that writes it was started, and not when it has ended.
// cause: read-too-early
// object: result
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> result{0};

void compute() {
  result.store(42);  // [last]
}

int main() {
  std::thread thread(compute);
#ifdef FIXED
  thread.join();
  assert(result.load() == 42);
#else
  thread.detach();
  assert(result.load() == 42);  // [first]
#endif
}
