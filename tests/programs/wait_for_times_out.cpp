// expect: passed
// No thread ever notifies: wait_for times out in every execution, after the time it was given.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "check.h"

int main() {
  std::mutex lock;
  std::condition_variable cond;
  int timeouts = 0;
  auto body = [&] {
    std::unique_lock<std::mutex> hold(lock);
    auto before = std::chrono::steady_clock::now();
    if (!cond.wait_for(hold, std::chrono::milliseconds(50), [] { return false; })) ++timeouts;
    CHECK(std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(50));
  };
  std::thread first(body), second(body);
  first.join();
  second.join();
  CHECK_EQ(timeouts, 2);
}
