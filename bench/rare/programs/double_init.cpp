// N threads want one instance: each looks first, then makes one. Two must not both find none.
#include "rare.hpp"

static std::atomic<int> g_made{0};
static std::atomic<int> g_instance{0};

static void make() {
  require(g_made++ == 0, "one is made");
  g_instance = 1;
}

int main() {
  static std::atomic<bool> making{false};
  std::vector<std::thread> threads = start(N, [](int i) {
    for (int round = 0; round < 20 * i; ++round) {
      if (g_instance != 0) return;
    }
    if (g_instance != 0) return;
    if (kFixed && making.exchange(true)) return;
    make();
  });
  join(threads);
}
