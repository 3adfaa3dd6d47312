// what: a cache keeps formatted strings by their format (Lang)
// broken: all threads share one formatter, which has a state
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

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
#ifndef BROKEN
  assert(cache.format(number) == number);
#else
  assert(cache.formatter().format(number) == number);
#endif
}

int main() {
  std::thread one(work, 12);
  work(34);
  one.join();
}
