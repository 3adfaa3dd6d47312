// What rand() returns follows from a state in the C library, which both threads change and no hook
// sees.
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>

static int drawn[2];
static std::mutex lock;

static void draw(int own) {
  lock.lock();
  drawn[own] = std::rand();
  lock.unlock();
}

int main() {
  std::thread other([] { draw(1); });
  draw(0);
  other.join();
  assert(drawn[0] != drawn[1]);
}
