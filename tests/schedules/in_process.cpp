// Schedules inside raddle::check: `in_process NAME STRATEGY`.
#include <raddle/check.hpp>
#include <raddle/schedule.hpp>

#include <cassert>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

using raddle::Schedule;

// Two threads add under a lock; the schedule says which one is first.
int g_first;

void ordered() {
  Schedule schedule("a -> b");
  std::mutex mutex;
  int order = 0;
  std::thread one([&] {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (order == 0) order = 1;
    }
    RADDLE_EVENT(a);
  });
  std::thread two([&] {
    RADDLE_EVENT(b);
    const std::lock_guard<std::mutex> lock(mutex);
    if (order == 0) order = 2;
  });
  one.join();
  two.join();
  g_first = order;
  assert(order == 1);
}

void open() {
  Schedule schedule("ready -> go");
  std::mutex mutex;
  int balance = 0;
  const auto add = [&](int amount) {
    int seen;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      seen = balance;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    balance = seen + amount;
  };
  std::thread first([&] {
    RADDLE_EVENT(ready);
    add(1);
  });
  std::thread second([&] {
    RADDLE_EVENT(go);
    add(2);
  });
  first.join();
  second.join();
  assert(balance == 3);
}

void stuck() {
  Schedule schedule("a -> b");
  std::mutex mutex;
  std::thread holder([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    RADDLE_EVENT(b);
  });
  {
    const std::lock_guard<std::mutex> lock(mutex);
    RADDLE_EVENT(a);
  }
  holder.join();
}

}  // namespace

int main(int, char** arguments) {
  // One natively first: its watch is still there when executions begin.
  ordered();
  void (*function)() = std::strcmp(arguments[1], "ordered") == 0 ? ordered
                       : std::strcmp(arguments[1], "open") == 0  ? open
                                                                 : stuck;
  raddle::Options options;
  options.strategy = arguments[2];
  try {
    const raddle::Coverage coverage = raddle::check(options, function);
    std::printf("passed %llu executions, %s\n",
                static_cast<unsigned long long>(coverage.executions),
                coverage.exhausted ? "exhausted" : "open");
  } catch (const raddle::CheckFailed& failure) {
    std::printf("%s\n", failure.what());
    return 1;
  }
}
