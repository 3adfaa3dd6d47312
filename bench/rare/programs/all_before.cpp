// The auditor must not come before all N clerks: then it finds an empty ledger.
#include <mutex>

#include "rare.hpp"

static std::mutex g_lock;
static int g_entries = 0;

int main() {
  std::vector<std::thread> clerks = start(N, [](int) {
    const std::lock_guard lock(g_lock);
    ++g_entries;
  });
  if (kFixed) join(clerks);
  std::thread auditor([] {
    const std::lock_guard lock(g_lock);
    require(g_entries > 0, "there is an entry");
  });
  auditor.join();
  if (!kFixed) join(clerks);
}
