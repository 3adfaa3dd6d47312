// expect: passed
// std::call_once: one call, for which all wait; after an exception the next thread has its turn.
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.h"

int main() {
  std::once_flag flag;
  int calls = 0;
  bool done = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      std::call_once(flag, [&] {
        ++calls;
        std::this_thread::yield();
        done = true;
      });
      CHECK(done);
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(calls, 1);

  std::once_flag throwing;
  std::mutex lock;
  int attempts = 0, caught = 0;
  threads.clear();
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      try {
        std::call_once(throwing, [&] {
          std::this_thread::yield();
          if (++attempts < 3) throw std::runtime_error("not yet");
        });
      } catch (const std::runtime_error&) {
        std::lock_guard<std::mutex> hold(lock);
        ++caught;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(attempts, 3);
  CHECK_EQ(caught, 2);
}
