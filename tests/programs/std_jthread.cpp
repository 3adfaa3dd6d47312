// expect: passed
// std::jthread and stop tokens: stop ends a loop, a callback runs once, the destructor joins, and a
// condition_variable_any wakes for a stop.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "check.h"

#ifndef __clang__  // gcc 12 takes the unconstructed part of a jthread for a variable that is used
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

int main() {
  std::atomic<bool> began{false}, ended{false};
  {
    std::jthread looper([&](std::stop_token token) {
      began = true;
      while (!token.stop_requested()) std::this_thread::yield();
      ended = true;
    });
    while (!began) std::this_thread::yield();
    CHECK(looper.joinable());
  }
  CHECK(ended.load());

  // Only a stop can wake this one.
  std::mutex lock;
  std::condition_variable_any cond;
  bool result = true;
  {
    std::jthread waiter([&](std::stop_token token) {
      std::unique_lock<std::mutex> hold(lock);
      result = cond.wait(hold, token, [] { return false; });
      CHECK(hold.owns_lock());
    });
    CHECK(waiter.get_stop_source().request_stop());
    CHECK(!waiter.request_stop());
  }
  CHECK(!result);

  bool ready = false;
  {
    std::jthread waiter([&](std::stop_token token) {
      std::unique_lock<std::mutex> hold(lock);
      result = cond.wait_for(hold, token, std::chrono::seconds(60), [&] { return ready; });
    });
    {
      std::lock_guard<std::mutex> hold(lock);
      ready = true;
    }
    cond.notify_all();
    waiter.join();
  }
  CHECK(result);

  // Registration races with the stop: the callback runs exactly once either way.
  for (int round = 0; round < 3; ++round) {
    std::stop_source source;
    std::atomic<int> calls{0};
    std::jthread registrar([&] {
      std::stop_callback callback(source.get_token(), [&] { ++calls; });
      std::this_thread::yield();
      while (!source.stop_requested()) std::this_thread::yield();
    });
    std::jthread stopper([&] { source.request_stop(); });
    registrar.join();
    stopper.join();
    CHECK(calls.load() == 1);
  }
}
