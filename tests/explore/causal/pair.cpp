// One store leaves both fields of a pair, and the other thread loads one after the other. With
// BROKEN it does so without the lock.
#include <cassert>
#include <mutex>
#include <thread>

struct Pair {
  int first;
  int second;
};

static Pair pair;
static std::mutex lock;

__attribute__((noinline)) static int first() { return pair.first; }
__attribute__((noinline)) static int second() { return pair.second; }

int main() {
  std::thread writer([] {
    lock.lock();
    pair = Pair{1, 1};
    lock.unlock();
  });
#ifndef BROKEN
  lock.lock();
#endif
  const int a = first();
  const int b = second();
#ifndef BROKEN
  lock.unlock();
#endif
  writer.join();
  assert(a == b);
}
