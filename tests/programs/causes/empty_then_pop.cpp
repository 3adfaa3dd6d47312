// empty() and pop() are safe each; between them another consumer takes the last job.
// cause: check-then-act
// says: so it cannot be held around the calls.
// object: queue.size_
// unmodified: lock-reacquired empty_then_pop.cpp:13 empty_then_pop.cpp:17
#include <cassert>
#include <mutex>
#include <thread>

class Queue {
 public:
  bool empty() {
    const std::lock_guard lock(mutex_);
    return size_ == 0;
  }
  int pop() {
    const std::lock_guard lock(mutex_);
    assert(size_ > 0);
    return jobs_[--size_];
  }
  bool try_pop(int& job) {
    const std::lock_guard lock(mutex_);
    if (size_ == 0) return false;
    job = jobs_[--size_];
    return true;
  }

 private:
  std::mutex mutex_;
  int jobs_[4] = {1, 2, 3};
  int size_ = 3;
} queue;

void consume() {
  int job = 0;
#ifdef FIXED
  while (queue.try_pop(job)) {
  }
#else
  while (!queue.empty()) {  // [first]
    job = queue.pop();      // [last]
  }
#endif
  (void)job;
}

int main() {
  std::thread other(consume);
  consume();
  other.join();
}
