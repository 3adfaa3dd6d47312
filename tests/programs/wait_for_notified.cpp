// expect: passed
// A thread notifies well within the hour: wait_for never times out, and the hour does not pass.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "check.h"

int main() {
  std::mutex lock;
  std::condition_variable cond;
  bool ready = false;
  auto before = std::chrono::steady_clock::now();
  std::thread waiter([&] {
    std::unique_lock<std::mutex> hold(lock);
    CHECK(cond.wait_for(hold, std::chrono::hours(1), [&] { return ready; }));
  });
  std::thread notifier([&] {
    std::lock_guard<std::mutex> hold(lock);
    ready = true;
    cond.notify_one();
  });
  waiter.join();
  notifier.join();
  CHECK(std::chrono::steady_clock::now() - before < std::chrono::minutes(1));
}
