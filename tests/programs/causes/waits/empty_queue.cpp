// One look before the wait, and none after it; a queue of the library, whose ends both move.
// cause: not-checked-after-wait
// object: items
// also: -O0
// says: did not check again
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
std::deque<int> items;

void put(int item) {
  const std::lock_guard<std::mutex> lock(mutex);
  items.push_back(item);
  changed.notify_one();
}

int take() {
  std::unique_lock<std::mutex> lock(mutex);
#ifdef FIXED
  while (items.empty()) changed.wait(lock);
#else
  if (items.empty()) changed.wait(lock);  // [first]
#endif
  assert(!items.empty());  // [last]
  const int item = items.front();
  items.pop_front();
  return item;
}

int main() {
  std::thread one(take);
  std::thread two(take);
  std::thread three([] {
    put(1);
    put(2);
  });
  one.join();
  two.join();
  three.join();
}
