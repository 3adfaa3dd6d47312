// 1,000 atomic increments, one of which is a load and a store.
#include "rare.hpp"

static std::atomic<int> g_count{0};

int main() {
  constexpr int kTimes = 1000;
  std::thread counter([] {
    for (int i = 0; i < kTimes; ++i) {
      if (!kFixed && i == kTimes / 2) {
        g_count = g_count + 1;
      } else {
        ++g_count;
      }
    }
  });
  std::thread other([] { ++g_count; });
  counter.join();
  other.join();
  require(g_count == kTimes + 1, "nothing is lost");
}
