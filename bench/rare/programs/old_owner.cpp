// N visitors register themselves; the doorman writes his name once and reads it back. He must find
// his own name: one visitor in between is enough.
#include "rare.hpp"

static std::atomic<int> g_owner{-1};

int main() {
  std::vector<std::thread> visitors = start(N, [](int i) {
    int nobody = -1;
    if (kFixed) {
      g_owner.compare_exchange_strong(nobody, i);
    } else if (g_owner == -1) {
      g_owner = i;
    }
  });
  std::thread doorman([] {
    int nobody = -1;
    if (kFixed) {
      if (!g_owner.compare_exchange_strong(nobody, N)) return;
    } else {
      if (g_owner != -1) return;
      g_owner = N;
    }
    require(g_owner == N, "the doorman is the owner");
  });
  join(visitors);
  doorman.join();
}
