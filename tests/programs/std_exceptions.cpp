// expect: passed
// Exceptions thrown and caught in threads, with switches while they are in flight: each thread
// keeps its own, nested ones too, and uncaught_exceptions() counts its own.
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

std::mutex lock;

struct SwitchOnUnwind {
  int expected;
  ~SwitchOnUnwind() {
    CHECK_EQ(std::uncaught_exceptions(), expected);
    std::lock_guard<std::mutex> hold(lock);
    std::this_thread::yield();
    CHECK_EQ(std::uncaught_exceptions(), expected);
  }
};

void fail(int number, int depth) {
  SwitchOnUnwind guard{1};
  if (depth > 0) return fail(number, depth - 1);
  throw std::runtime_error("thread " + std::to_string(number));
}

void body(int number) {
  std::string mine = "thread " + std::to_string(number);
  for (int round = 0; round < 2; ++round) {
    try {
      fail(number, 3);
    } catch (const std::exception& error) {
      std::this_thread::yield();
      CHECK(mine == error.what());
      try {
        throw std::logic_error("inner " + mine);
      } catch (const std::logic_error& inner) {
        std::this_thread::yield();
        CHECK("inner " + mine == inner.what());
      }
      std::exception_ptr current = std::current_exception();
      std::this_thread::yield();
      try {
        std::rethrow_exception(current);
      } catch (const std::runtime_error& again) {
        CHECK(mine == again.what());
      }
    }
    CHECK(!std::current_exception());
  }
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(body, i);
  body(9);
  for (auto& thread : threads) thread.join();
}
