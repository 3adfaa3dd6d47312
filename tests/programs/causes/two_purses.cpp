// Each purse has a lock of its own, and nobody may count while coins go from one to the other.
// cause: torn-pair
// object: left.coins
// says: over both writes (two_purses.cpp:34 and two_purses.cpp:35)
#include <cassert>
#include <mutex>
#include <thread>

struct Purse {
  std::mutex mutex;
  int coins = 50;

  void add(int amount) {
    const std::lock_guard lock(mutex);
    coins += amount;
  }

  int count() {
    const std::lock_guard lock(mutex);
    return coins;
  }
};

Purse left;
Purse right;
#ifdef FIXED
std::mutex both;
#endif

void shift(int amount) {
#ifdef FIXED
  const std::lock_guard lock(both);
#endif
  left.add(-amount);
  right.add(amount);
}

int total() {
#ifdef FIXED
  const std::lock_guard lock(both);
#endif
  const int one = left.count();     // [first]
  const int other = right.count();  // [last]
  return one + other;
}

int main() {
  std::thread mover(shift, 15);
  std::thread counter([] {
    const int seen = total();
    assert(seen == 100);
  });
  mover.join();
  counter.join();
}
