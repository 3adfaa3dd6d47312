// A lock that gives up: who does not get it in thirty tries counts that instead. Broken: nobody
// reckons with it.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> taken = false;
std::atomic<int> done = 0;
std::atomic<int> refused = 0;

bool try_some_times() {
  for (int i = 0; i < 30; ++i) {
    if (!taken.exchange(true)) return true;
  }
  return false;
}

void work() {
  if (!try_some_times()) {
    ++refused;
    return;
  }
  ++done;
  taken = false;
}

int main() {
  std::thread one(work);
  std::thread other(work);
  one.join();
  other.join();
#ifdef BROKEN
  assert(done == 2);
#else
  assert(done + refused == 2);
#endif
}
