// Measurements are summed up and counted; a reader divides. The change (average.patch) makes two
// critical sections of one, to hold the lock for a shorter time. Since then a reader can see the
// sum of one measurement more than it counts.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Counter {
 public:
  void tick() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++ticks_;
  }

 private:
  std::mutex mutex_;
  int ticks_ = 0;
};

class Average {
 public:
  void add(int value) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      sum_ += value;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    ++count_;
  }

  // All measurements are 5, so this is always 0.
  int error() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return sum_ - 5 * count_;
  }

 private:
  std::mutex mutex_;
  int sum_ = 0;
  int count_ = 0;
};

Average average;
Counter counter;

void measure() {
  counter.tick();
  counter.tick();
  average.add(5);
  counter.tick();
  counter.tick();
}

void watch() {
  counter.tick();
  assert(average.error() == 0);
  counter.tick();
}

int main() {
  std::thread one(measure);
  std::thread two(watch);
  one.join();
  two.join();
  assert(average.error() == 0);
}
