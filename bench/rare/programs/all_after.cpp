// The ledger overflows when all N clerks come before the reader that makes room.
#include <mutex>

#include "rare.hpp"

static std::mutex g_lock;
static int g_entries = 0;
static int g_most = 0;

int main() {
  std::thread reader([] {
    const std::lock_guard lock(g_lock);
    g_entries = 0;
  });
  std::vector<std::thread> clerks = start(N, [](int) {
    const std::lock_guard lock(g_lock);
    if (kFixed && g_entries == N - 1) return;  // full: this one is left out
    ++g_entries;
    if (g_entries > g_most) g_most = g_entries;
  });
  join(clerks);
  reader.join();
  require(g_most < N, "the ledger has room");
}
