// Schedules inside raddle::check: `in_process NAME STRATEGY`.
#include <raddle/check.hpp>
#include <raddle/schedule.hpp>

#include "bench/schedules/components/blocking_queue.hpp"
#include "bench/schedules/components/cyclic_barrier.hpp"

#include <cassert>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
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

// BlockingQueue.TakeWithAdd of bench/schedules.
void queue() {
  Schedule schedule("afterAdd1 -> beforeTake1, [beforeTake2] -> beforeAdd2");
  components::BlockingQueue<int> queue(1);
  std::jthread adder([&] {
    queue.add(1);
    RADDLE_EVENT(afterAdd1);
    RADDLE_EVENT(beforeAdd2);
    queue.add(2);
  });
  RADDLE_EVENT(beforeTake1);
  assert(queue.take() == 1);
  assert(queue.waits() == 0);
  RADDLE_EVENT(beforeTake2);
  assert(queue.take() == 2);
  assert(queue.waits() == 1);
}

// CyclicBarrier.CountsThoseWhoAreMissing of bench/schedules.
void barrier() {
  Schedule schedule("[await@first] -> await@second, [await@second] -> await@third");
  components::CyclicBarrier barrier(3);
  const auto arrive = [&](const char* name, std::size_t missing) {
    raddle::name_thread(name);
    RADDLE_EVENT(await);
    const std::size_t found = barrier.await();
    assert(found == missing);
  };
  std::jthread third(arrive, "third", 0U);
  std::jthread second(arrive, "second", 1U);
  std::jthread first(arrive, "first", 2U);
}

const std::map<std::string, void (*)()> kFunctions{
    {"ordered", ordered}, {"open", open}, {"stuck", stuck}, {"queue", queue}, {"barrier", barrier}};

}  // namespace

int main(int, char** arguments) {
  // One natively first: its watch is still there when executions begin.
  ordered();
  void (*function)() = kFunctions.at(arguments[1]);
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
