// Initialisation is given 10 ms; who sleeps so long takes it for done.
#include <chrono>

#include "rare.hpp"

static std::atomic<int*> g_table{nullptr};
static int g_cells[4] = {1, 2, 3, 4};

int main() {
  std::thread initialiser([] {
    for (int i = 0; i < 4; ++i) std::this_thread::yield();
    g_table = g_cells;
  });
  if (kFixed) {
    initialiser.join();
  } else {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  require(g_table != nullptr, "the table is there after 10 ms");
  if (!kFixed) initialiser.join();
}
