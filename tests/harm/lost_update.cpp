// Two threads count. Each call is locked, but between the two calls of increment() the other thread
// may count, too. Nothing asserts that. QUIET: and nothing is written of it. RETURN: but returned.
#include <cstdio>
#include <mutex>
#include <thread>

class Counter {
 public:
  int get() {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void set(int value) {
    const std::lock_guard lock(mutex_);
    value_ = value;
  }
  void add(int value) {
    const std::lock_guard lock(mutex_);
    value_ += value;
  }

 private:
  std::mutex mutex_;
  int value_ = 0;
};

static Counter counter;

__attribute__((noinline)) static void increment(Counter& one) {
#ifdef FIXED
  one.add(1);
#else
  const int value = one.get();
  one.set(value + 1);
#endif
}

int main() {
  std::thread first([] { increment(counter); });
  std::thread second([] { increment(counter); });
  first.join();
  second.join();
#if defined(RETURN)
  return counter.get() == 2 ? 0 : 4;
#elif defined(QUIET)
  return 0;
#else
  std::printf("%d\n", counter.get());
  return 0;
#endif
}
