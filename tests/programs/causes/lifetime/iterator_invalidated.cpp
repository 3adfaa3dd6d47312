// A writer grows the table under a lock for readers only.
// cause: use-after-free
// object: the memory of routes
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

std::shared_mutex mutex;
std::vector<int> routes{1, 2};

int longest() {
  const std::shared_lock lock(mutex);
  int best = 0;
  for (const int route : routes) {  // [last]
    assert(route > 0 && route < 10);
    best = best < route ? route : best;
  }
  return best;
}

void add(int route) {
#ifdef FIXED
  const std::unique_lock lock(mutex);
#else
  const std::shared_lock lock(mutex);
#endif
  routes.push_back(route);  // [first]
}

int main() {
  std::thread writer(add, 3);
  longest();
  writer.join();
}
