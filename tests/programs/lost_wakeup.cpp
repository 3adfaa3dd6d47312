// expect: passed|deadlock
// A wait without a predicate: a notification that comes first is lost. See lost_wakeup_fixed.cpp.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable ready;

int main() {
  std::thread waiter([] {
    std::unique_lock<std::mutex> hold(lock);
    ready.wait(hold);
  });
  std::thread notifier([] {
    std::lock_guard<std::mutex> hold(lock);
    ready.notify_one();
  });
  waiter.join();
  notifier.join();
}
