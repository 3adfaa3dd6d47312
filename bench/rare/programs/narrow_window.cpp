// A counter is raised 1,000 times under its lock, except once, in the middle: read, then written.
#include <mutex>

#include "rare.hpp"

static std::mutex g_lock;
static int g_count = 0;

int main() {
  constexpr int kTimes = 1000;
  std::thread counter([] {
    for (int i = 0; i < kTimes; ++i) {
      std::unique_lock lock(g_lock);
      const int seen = g_count;
      if (!kFixed && i == kTimes / 2) {
        lock.unlock();
        lock.lock();
      }
      g_count = seen + 1;
    }
  });
  std::thread other([] {
    const std::lock_guard lock(g_lock);
    ++g_count;
  });
  counter.join();
  other.join();
  require(g_count == kTimes + 1, "nothing is lost");
}
