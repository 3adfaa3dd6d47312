// A way out that unlocks, and then goes on to where everybody unlocks.
// level: misuse
// without a place: -O2
// cause: unlocked-twice
// object: table.mutex
// says: unlock table.mutex once on each way
#include <mutex>
#include <thread>

struct Table {
  std::mutex mutex;
  int used = 0;
  int refused = 0;
} table;

void refuse() {
  ++table.refused;
#ifndef FIXED
  table.mutex.unlock();  // [first]
#endif
}

void reserve(int seats) {
  table.mutex.lock();
  if (table.used + seats > 3) {
    refuse();
  } else {
    table.used += seats;
  }
  table.mutex.unlock();  // [last]
}

int main() {
  std::thread one(reserve, 2);
  std::thread two(reserve, 2);
  one.join();
  two.join();
}
