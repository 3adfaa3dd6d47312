// One guard gives the other the counter by a pointer, and both count: it is not handed over.
// cause: lost-update
// object: visitors.seen
// never: pointer
// never: done with
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Counter {
  int seen = 0;
#ifdef FIXED
  std::mutex mutex;
#endif
};

class Desk {
 public:
  void put(Counter* counter) {
    const std::lock_guard lock(mutex_);
    counter_ = counter;
    changed_.notify_one();
  }
  Counter* take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return counter_ != nullptr; });
    return counter_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Counter* counter_ = nullptr;
} desk;

static void count(Counter& counter) {
#ifdef FIXED
  const std::lock_guard lock(counter.mutex);
#endif
  ++counter.seen;  // [first] [last]
}

static void walk(int minutes) { std::this_thread::sleep_for(std::chrono::milliseconds(minutes)); }

int main() {
  Counter visitors;
  std::thread guard([] {
    Counter* counter = desk.take();
    walk(1);
    count(*counter);
    walk(1);
    count(*counter);
  });
  desk.put(&visitors);
  count(visitors);
  walk(2);
  count(visitors);
  guard.join();
  assert(visitors.seen == 4);
}
