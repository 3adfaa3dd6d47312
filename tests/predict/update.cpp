// An update of two calls, each of which locks: one of two updates may be lost. With SAFE it is one.
#include <mutex>
#include <thread>

class Counter {
 public:
  int get() {
    const std::lock_guard<std::mutex> hold(lock_);
    return value_;
  }
  void set(int value) {
    const std::lock_guard<std::mutex> hold(lock_);
    value_ = value;
  }
  void add() {
#ifdef SAFE
    const std::lock_guard<std::mutex> hold(lock_);
    ++value_;
#else
    set(get() + 1);
#endif
  }

 private:
  std::mutex lock_;
  int value_ = 0;
};

static Counter counter;

__attribute__((noinline)) void work() { counter.add(); }

int main() {
  std::thread one([] { work(); });
  std::thread other([] { work(); });
  one.join();
  other.join();
  return 0;
}
