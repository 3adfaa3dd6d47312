// expect: passed
// seeds: 10
// 300 threads at the same time.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "check.h"

int main() {
  constexpr int kThreads = 300;
  std::mutex lock;
  std::condition_variable all_here;
  int here = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      std::unique_lock<std::mutex> hold(lock);
      if (++here == kThreads) {
        all_here.notify_all();
      } else {
        all_here.wait(hold, [&] { return here == kThreads; });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(here, kThreads);
}
