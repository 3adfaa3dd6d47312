// Three stages, as in a pipeline: the last stage is reached by whoever saw the first two done,
// which needs three threads in one order among N others that do the same harmless things.
#include "rare.hpp"

static std::atomic<int> g_stage{0};

int main() {
  std::vector<std::thread> others = start(N, [](int) { g_stage.load(); });
  std::thread first([] {
    int expected = 0;
    g_stage.compare_exchange_strong(expected, 1);
  });
  std::thread second([] {
    int expected = 1;
    g_stage.compare_exchange_strong(expected, 2);
  });
  std::thread third([] { require(kFixed || g_stage != 2, "nobody comes this far"); });
  join(others);
  first.join();
  second.join();
  third.join();
}
