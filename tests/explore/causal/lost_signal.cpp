// A thread waits for a signal that may have come before. With BROKEN it does not look first.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;

int main() {
  std::thread other([] {
    lock.lock();
    ready = true;
    changed.notify_one();
    lock.unlock();
  });
  std::unique_lock<std::mutex> held(lock);
#ifdef BROKEN
  changed.wait(held);
#else
  while (!ready) changed.wait(held);
#endif
  held.unlock();
  other.join();
}
