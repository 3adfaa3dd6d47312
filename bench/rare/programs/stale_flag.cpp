// One of N workers is told to stop by a flag. The collector reads the flag before any worker has
// raised it, and the result after one of them has written it.
#include "rare.hpp"

static std::atomic<int> g_result{0};
static std::atomic<bool> g_done{false};

int main() {
  std::vector<std::thread> workers = start(N, [](int i) {
    if (kFixed) g_done = true;
    g_result = i + 1;
    if (!kFixed) g_done = true;
  });
  std::thread collector([] {
    const int result = g_result;
    const bool done = g_done;
    require(result == 0 || done, "who has a result is done");
  });
  join(workers);
  collector.join();
}
