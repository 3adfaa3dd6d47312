// what: a cache keeps formatted strings by their format (Lang)
// broken: all threads share one formatter, which has a state
// near: -DCALLERS=3 -DROUNDS=2
// large: -DCALLERS=6
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifndef CALLERS
#define CALLERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

// Writes a number digit by digit into a buffer that lives on between the calls.
class Formatter {
 public:
  int format(int number) {
    length_ = 0;
    for (; number > 0; number /= 10) {
      const int at = length_;
      digits_[at] = number % 10;
      length_ = at + 1;
    }
    int result = 0;
    for (int i = length_; i-- > 0;) result = 10 * result + digits_[i];
    return result;
  }

 private:
  std::atomic<int> length_ = 0;
  std::atomic<int> digits_[4];
};

class Cache {
 public:
  int format(int number) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return formatter().format(number);
  }
  Formatter& formatter() { return formatter_; }

 private:
  std::mutex mutex_;
  Formatter formatter_;
};

Cache cache;

void work(int number) {
  for (int i = 0; i < ROUNDS; ++i) {
#ifndef BROKEN
    assert(cache.format(number) == number);
#else
    assert(cache.formatter().format(number) == number);
#endif
  }
}

int main() {
  std::thread callers[CALLERS];
  for (int i = 1; i < CALLERS; ++i) callers[i] = std::thread(work, 12 * i);
  work(34);
  for (int i = 1; i < CALLERS; ++i) callers[i].join();
}
