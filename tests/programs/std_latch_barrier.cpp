// expect: passed
// std::latch and std::barrier: no thread passes early, one completion each phase, drop-outs.
#include <atomic>
#include <barrier>
#include <latch>
#include <thread>
#include <vector>

#include "check.h"

int main() {
  constexpr int kThreads = 3;
  std::latch ready(kThreads), go(1);
  std::atomic<int> prepared{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ++prepared;
      ready.count_down();
      go.wait();
      CHECK_EQ(prepared.load(), kThreads + 1);
    });
  }
  ready.wait();
  CHECK(ready.try_wait());
  CHECK_EQ(prepared.load(), kThreads);
  ++prepared;
  go.count_down();
  for (auto& thread : threads) thread.join();

  int phases = 0;
  auto completion = [&phases]() noexcept { ++phases; };
  std::barrier barrier(kThreads, completion);
  threads.clear();
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int phase = 0; phase < 3; ++phase) {
        CHECK_EQ(phases, phase);
        if (i == 2 && phase == 1) {
          barrier.arrive_and_drop();
          return;
        }
        barrier.arrive_and_wait();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(phases, 3);
}
