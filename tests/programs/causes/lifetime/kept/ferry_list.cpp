// A list of passengers is read out in parts, under a lock for readers that is given up between
// them; the place in the list is kept, and the passenger there takes the name off.
// cause: use-after-free
// object: element of a map or set or a block of the heap or the memory of
// says: T1 released passengers_lock at
// seen: look it up again
// never: shared_ptr
// also: -O0
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex passengers_lock;
static std::map<int, int> passengers = {{1, 70}, {2, 80}, {3, 90}, {4, 60}};

static int weight() {
  int sum = 0;
  std::shared_lock lock(passengers_lock);
  auto next = passengers.begin();
  while (next != passengers.end()) {
    for (int i = 0; i < 2 && next != passengers.end(); ++i, ++next) sum += next->second;  // [last]
#ifdef FIXED
    const int cabin = next == passengers.end() ? 100 : next->first;
#endif
    lock.unlock();
    lock.lock();
#ifdef FIXED
    next = passengers.lower_bound(cabin);
#endif
  }
  return sum;
}

static void leave(int cabin) {
  const std::unique_lock lock(passengers_lock);
  passengers.erase(cabin);  // [first]
}

int main() {
  int sum = 0;
  std::thread purser([&] { sum = weight(); });
  std::thread passenger([] { leave(3); });
  purser.join();
  passenger.join();
  return sum == 300 || sum == 210 ? 0 : 1;
}
