// Two threads add to a plain variable under a lock, and a third one looks. With BROKEN one of them
// forgets the lock.
#include <cassert>
#include <mutex>
#include <thread>

static int total;
static std::mutex lock;

static void add(bool locks) {
  if (locks) lock.lock();
  total = total + 1;
  if (locks) lock.unlock();
}

int main() {
#ifdef BROKEN
  constexpr bool kLocks = false;
#else
  constexpr bool kLocks = true;
#endif
  std::thread one([] { add(true); });
  std::thread two([] { add(kLocks); });
  one.join();
  two.join();
  assert(total == 2);
}
