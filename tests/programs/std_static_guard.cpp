// expect: passed
// Function-local statics: constructed once, however many threads come at the same time. After an
// exception in the constructor, the next thread constructs it.
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.h"

namespace {

std::atomic<int> constructions{0}, attempts{0};
std::mutex lock;

struct Slow {
  int value;
  Slow() {
    ++constructions;
    std::this_thread::yield();
    std::lock_guard<std::mutex> hold(lock);
    value = 42;
  }
};

Slow& instance() {
  static Slow slow;
  return slow;
}

struct Fails {
  Fails() {
    int attempt = ++attempts;
    std::this_thread::yield();
    if (attempt < 3) throw std::runtime_error("not yet");
  }
};

Fails& reluctant() {
  static Fails fails;
  return fails;
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { CHECK_EQ(instance().value, 42); });
  for (auto& thread : threads) thread.join();
  CHECK_EQ(constructions.load(), 1);

  std::atomic<int> caught{0};
  threads.clear();
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      try {
        reluctant();
      } catch (const std::runtime_error&) {
        ++caught;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(attempts.load(), 3);
  CHECK_EQ(caught.load(), 2);
}
