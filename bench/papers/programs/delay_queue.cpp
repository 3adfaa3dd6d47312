// bug: DelayQueue::add_all
// A queue whose elements come out when they are due (DelayQueue; Hammer et al. 2008, Table 1).
// Every call holds the lock, but the inherited add_all() is one call for each element: whoever
// takes what is due in between finds a part of them. FIXED: add_all() holds the lock.
#include <cstddef>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class DelayQueue {
 public:
  void put(int due) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    elements_.push(due);
    ++count_;
  }

  void add_all(const std::vector<int>& all) {
#ifdef FIXED
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
#endif
    for (const int due : all) put(due);
  }

  std::size_t take_due(int now) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    std::size_t taken = 0;
    for (; count_ > 0 && elements_.top() <= now; ++taken) {
      elements_.pop();
      --count_;
    }
    return taken;
  }

 private:
  std::recursive_mutex mutex_;
  std::priority_queue<int, std::vector<int>, std::greater<>> elements_;
  std::size_t count_ = 0;
};

int main() {
  const std::vector<int> values = {1, 2, 3};
  DelayQueue queue;
  bool parts = false;
  std::thread adder([&] {
    for (int i = 0; i < 2; ++i) queue.add_all(values);
  });
  std::thread taker([&] {
    for (int i = 0; i < 3; ++i) parts = parts || queue.take_due(3) % 3 != 0;
  });
  adder.join();
  taker.join();
  return parts ? 1 : 0;
}
