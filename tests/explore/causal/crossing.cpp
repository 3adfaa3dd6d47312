// Two locks, taken in two orders: a deadlock that no thread's values show. With BROKEN; otherwise
// in one order.
#include <mutex>
#include <thread>

static std::mutex first;
static std::mutex second;

int main() {
#ifdef BROKEN
  std::mutex& one = second;
  std::mutex& two = first;
#else
  std::mutex& one = first;
  std::mutex& two = second;
#endif
  std::thread other([&] {
    one.lock();
    two.lock();
    two.unlock();
    one.unlock();
  });
  first.lock();
  second.lock();
  second.unlock();
  first.unlock();
  other.join();
}
