// Two atomic blocks that release their lock in the middle: often() is called ten times, rare()
// once, and only a thread that comes late takes its lock. Nothing fails.
#include <mutex>
#include <thread>

#ifdef __RADDLE__
#include <raddle/annotations.hpp>
#else
#define RADDLE_ATOMIC
#endif

std::mutex ma, mb;
int a, b;

RADDLE_ATOMIC __attribute__((noinline)) void often() {
  {
    std::lock_guard<std::mutex> lock(ma);
    ++a;
  }
  std::lock_guard<std::mutex> lock(ma);  // often again
  ++a;
}

RADDLE_ATOMIC __attribute__((noinline)) void rare() {
  {
    std::lock_guard<std::mutex> lock(mb);
    ++b;
  }
  std::lock_guard<std::mutex> lock(mb);  // rare again
  ++b;
}

__attribute__((noinline)) void work() {
  for (int i = 0; i < 10; ++i) often();
  rare();
}

int main() {
  std::thread first(work), second(work);
  first.join();
  second.join();
}
