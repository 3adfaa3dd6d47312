// expect: passed
// std::counting_semaphore and binary_semaphore: limits, hand-over, tries that time out.
#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>
#include <vector>

#include "check.h"

using namespace std::chrono_literals;

int main() {
  std::counting_semaphore<4> pool(2);
  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      pool.acquire();
      CHECK(++inside <= 2);
      std::this_thread::yield();
      --inside;
      pool.release();
    });
  }
  for (auto& thread : threads) thread.join();

  std::binary_semaphore ping(0), pong(0);
  int ball = 0;
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) {
      ping.acquire();
      CHECK_EQ(ball, 2 * i + 1);
      ++ball;
      pong.release();
    }
  });
  for (int i = 0; i < 3; ++i) {
    CHECK_EQ(ball, 2 * i);
    ++ball;
    ping.release();
    pong.acquire();
  }
  other.join();

  CHECK(!ping.try_acquire());
  auto before = std::chrono::steady_clock::now();
  CHECK(!ping.try_acquire_for(20ms));
  CHECK(std::chrono::steady_clock::now() - before >= 20ms);
  std::thread releaser([&] { ping.release(); });
  CHECK(ping.try_acquire_for(60s));
  releaser.join();
}
