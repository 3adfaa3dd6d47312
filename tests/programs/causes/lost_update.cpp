// Two workers count what they served in one plain counter.
// cause: lost-update
// object: stats.requests
#include <cassert>
#include <mutex>
#include <thread>

struct Stats {
  std::mutex mutex;
  int requests = 0;
  int failures = 0;
} stats;

void serve(int requests) {
  for (int i = 0; i < requests; ++i) {
#ifdef FIXED
    const std::lock_guard lock(stats.mutex);
#endif
    stats.requests += 1;  // [first] [last]
  }
}

int main() {
  std::thread one(serve, 2);
  std::thread two(serve, 2);
  one.join();
  two.join();
  assert(stats.requests == 4);
}
