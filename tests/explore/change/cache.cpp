// A cache computes a value that it does not have. Since the change (cache.patch) it computes
// without holding its lock, so that others need not wait, and does not look again: two threads can
// compute the same value, and the second result replaces what the first one has given out.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Journal {
 public:
  void write(int what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_ = what;
    ++lines_;
  }

  int lines() const { return lines_; }

 private:
  std::mutex mutex_;
  std::atomic<int> last_ = 0;
  std::atomic<int> lines_ = 0;
};

class Cache {
 public:
  int get() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (value_ == 0) {
      lock.unlock();
      const int fresh = compute();
      lock.lock();
      value_ = fresh;
    }
    return value_;
  }

 private:
  int compute() { return ++computed_; }

  std::mutex mutex_;
  std::atomic<int> computed_ = 0;
  int value_ = 0;
};

Cache cache;
Journal journal;

void asker() {
  const int value = cache.get();
  journal.write(value);
  journal.write(value);
  assert(cache.get() == value);
}

int main() {
  std::thread one(asker);
  std::thread two(asker);
  one.join();
  two.join();
}
