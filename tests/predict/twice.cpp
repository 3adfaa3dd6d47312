// A block that is declared atomic takes a lock, looks, and takes it once more to act on what it
// saw. With SAFE it holds the lock all the time.
#include <mutex>
#include <raddle/annotations.hpp>
#include <thread>

static std::mutex lock;
static int tickets = 1;
int visits;

static void buy() {
  const raddle::atomic_block block("buy");
#ifdef SAFE
  const std::lock_guard<std::mutex> hold(lock);
  if (tickets > 0) --tickets;
#else
  lock.lock();
  const bool left = tickets > 0;
  lock.unlock();
  lock.lock();
  if (left) --tickets;
  lock.unlock();
#endif
}

int main() {
  std::thread one([] { buy(); });
  std::thread other([] {
    const std::lock_guard<std::mutex> hold(lock);
    visits = 1;
  });
  one.join();
  other.join();
  return 0;
}
