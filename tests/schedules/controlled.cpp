// Programs with a schedule, one for each name: `controlled NAME`. schedules_test.py runs them under
// control, and natively.
#include <raddle/schedule.hpp>

#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <queue>
#include <thread>

namespace {

using raddle::Schedule;

class Queue {
 public:
  void add(int value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    values_.push(value);
    added_.notify_one();
  }
  int take() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (values_.empty()) ++waits_;
    added_.wait(lock, [&] { return !values_.empty(); });
    const int value = values_.front();
    values_.pop();
    return value;
  }
  int waits() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return waits_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::queue<int> values_;
  int waits_ = 0;
};

// The order holds in every execution; without the schedule the assertions fail in some.
void queue() {
  Schedule schedule("afterAdd1 -> beforeTake1, [beforeTake2] -> beforeAdd2");
  Queue q;
  std::thread adder([&] {
    raddle::name_thread("adder");
    q.add(1);
    RADDLE_EVENT(afterAdd1);
    RADDLE_EVENT(beforeAdd2);
    q.add(2);
  });
  RADDLE_EVENT(beforeTake1);
  assert(q.take() == 1);
  assert(q.waits() == 0);
  RADDLE_EVENT(beforeTake2);
  assert(q.take() == 2);
  assert(q.waits() == 1);
  adder.join();
}

// A wait with a time-out is blocked, a sleep is not, and a lock whose owner runs is not.
void blocked() {
  Schedule schedule("[asleep] -> wake");
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  bool waits = false;
  std::thread sleeper([&] {
    RADDLE_EVENT(asleep);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::unique_lock<std::mutex> lock(mutex);
    waits = true;
    changed.wait_for(lock, std::chrono::hours(1), [&] { return done; });
  });
  std::thread busy([&] {
    for (int i = 0; i < 3; ++i) const std::lock_guard<std::mutex> lock(mutex);
  });
  RADDLE_EVENT(wake);
  {
    const std::lock_guard<std::mutex> lock(mutex);
    assert(waits);
    done = true;
  }
  changed.notify_all();
  sleeper.join();
  busy.join();
}

// This order, and anything else: what is left open is explored, and one execution in some fails.
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

// The thread of `b` keeps the lock that the thread of `a` needs.
void stuck() {
  Schedule schedule("locked -> here, a -> b");
  std::mutex mutex;
  std::thread holder([&] {
    raddle::name_thread("holder");
    const std::lock_guard<std::mutex> lock(mutex);
    RADDLE_EVENT(locked);
    RADDLE_EVENT(b);
  });
  RADDLE_EVENT(here);
  {
    const std::lock_guard<std::mutex> lock(mutex);
    RADDLE_EVENT(a);
  }
  holder.join();
}

// Waits for what never comes, and no schedule holds anybody: a deadlock.
void deadlock() {
  Schedule schedule("a -> b");
  Queue q;
  std::thread taker([&] {
    RADDLE_EVENT(a);
    q.take();
  });
  RADDLE_EVENT(b);
  taker.join();
}

void ended() {
  Schedule schedule("[a] -> b");
  std::thread other([] {
    raddle::name_thread("other");
    RADDLE_EVENT(a);
  });
  RADDLE_EVENT(b);
  other.join();
}

void violated() {
  Schedule schedule("a -> b", Schedule::checking);
  std::thread other([] { RADDLE_EVENT(a); });
  RADDLE_EVENT(b);
  other.join();
}

struct Program {
  const char* name;
  void (*run)();
};
constexpr Program kPrograms[] = {{"queue", queue},      {"blocked", blocked},   {"open", open},
                                 {"stuck", stuck},      {"deadlock", deadlock}, {"ended", ended},
                                 {"violated", violated}};

}  // namespace

int main(int, char** arguments) {
  for (const Program& program : kPrograms)
    if (std::strcmp(program.name, arguments[1]) == 0) program.run();
}
