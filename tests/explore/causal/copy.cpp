// A thread copies what another one fills, both under a lock: which bytes a copy finds in memory
// that threads share, one value cannot say.
#include <cassert>
#include <cstring>
#include <mutex>
#include <thread>

static char from[100];
static char to[100];
static std::mutex lock;

int main() {
  std::thread other([] {
    lock.lock();
    std::memset(from, 1, sizeof from);
    lock.unlock();
  });
  lock.lock();
  std::memcpy(to, from, sizeof to);
  lock.unlock();
  other.join();
  assert(to[0] == to[99]);
}
