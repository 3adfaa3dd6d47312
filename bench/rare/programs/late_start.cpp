// A thread registers itself when it starts. Whoever created it does 200 other things first, and
// takes it for registered then.
#include <mutex>

#include "rare.hpp"

static std::mutex g_lock;
static int g_registered = 0;
static int g_work = 0;

int main() {
  std::thread late([] {
    const std::lock_guard lock(g_lock);
    ++g_registered;
  });
  if (kFixed) late.join();
  for (int i = 0; i < 200; ++i) {
    const std::lock_guard lock(g_lock);
    ++g_work;
  }
  {
    const std::lock_guard lock(g_lock);
    require(g_registered == 1, "the thread is registered");
  }
  if (!kFixed) late.join();
}
