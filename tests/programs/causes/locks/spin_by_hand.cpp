// A lock by hand looks and sets in two steps: two threads find it free.
// cause: check-then-act
// object: histogram.lock.locked_
// says: one atomic operation
// also: -O0
#include <atomic>
#include <cassert>
#include <thread>

class SpinLock {
 public:
  void lock() {
#ifdef FIXED
    while (locked_.exchange(true)) std::this_thread::yield();
#else
    while (locked_) std::this_thread::yield();  // [first]
    locked_ = true;                             // [last]
#endif
  }
  void unlock() { locked_ = false; }

 private:
  std::atomic<bool> locked_{false};
};

struct Histogram {
  SpinLock lock;
  int samples = 0;

  void add() {
    lock.lock();
    const int before = samples;
    samples = before + 1;
    lock.unlock();
  }
} histogram;

int main() {
  std::thread other([] { histogram.add(); });
  histogram.add();
  other.join();
  assert(histogram.samples == 2);
}
