// N threads write what is right; one writes what is wrong, and takes it back. A reader must not see
// it in between.
#include "rare.hpp"

static std::atomic<int> g_state{0};

int main() {
  std::vector<std::thread> writers = start(N, [](int) { g_state = 1; });
  std::thread wrong([] {
    if (!kFixed) g_state = -1;
    g_state = 2;
  });
  std::thread reader([] { require(g_state != -1, "nobody sees what is taken back"); });
  join(writers);
  wrong.join();
  reader.join();
}
