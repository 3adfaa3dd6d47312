// The program of figure 4.3 in Luo's dissertation, from its text: the error needs y == 3 where x
// > 1.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

static std::atomic<int> x;
static std::atomic<int> y;
static std::mutex lock;

static void first() {
  for (int round = 0; round < 2; ++round) {
    lock.lock();
    x = 1;
    y = 1;
    lock.unlock();
  }
}

static void second() {
  for (int round = 0; round < 2; ++round) {
    lock.lock();
    x = 0;
    lock.unlock();
    if (x > 0) {
      y = y + 1;
      x = 2;
    }
  }
}

static void third() {
  for (int round = 0; round < 2; ++round) {
    if (x > 1) {
      if (y == 3) std::abort();
      y = 2;
    }
  }
}

int main() {
  std::thread one(first);
  std::thread two(second);
  std::thread three(third);
  one.join();
  two.join();
  three.join();
}
