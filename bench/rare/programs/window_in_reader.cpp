// A reader checks 1,000 versions; only the last one is read in two halves.
#include "rare.hpp"

static std::atomic<int> g_version{0};
static std::atomic<int> g_copy{0};

int main() {
  constexpr int kTimes = 1000;
  std::thread reader([] {
    int sum = 0;
    for (int i = 0; i < kTimes; ++i) sum += g_version;
    const int version = g_version;
    const int copy = kFixed ? version : g_copy.load();
    require(version == copy, "the copy is of this version");
    if (sum < 0) std::puts("");
  });
  std::thread writer([] {
    g_version = 1;
    g_copy = 1;
  });
  reader.join();
  writer.join();
}
