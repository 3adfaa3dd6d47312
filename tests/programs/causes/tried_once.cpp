// An update is left out when the lock is not free at that moment.
// cause: try-lock-failed
// object: total
// also: -O0
// says: did not get it
#include <cassert>
#include <mutex>
#include <thread>

std::mutex gate;
int total = 0;

void add(int amount) {
#ifdef FIXED
  std::unique_lock<std::mutex> lock(gate);
#else
  std::unique_lock<std::mutex> lock(gate, std::try_to_lock);  // [first]
  if (!lock.owns_lock()) return;
#endif
  total += amount;
}

int main() {
  std::thread a([] { add(3); });
  std::thread b([] { add(4); });
  a.join();
  b.join();
  assert(total == 7);  // [last]
}
