// what: a work-stealing queue: its owner takes from one end, a thief from the other
// broken: the owner takes the last task without asking whether a thief has it
// preemptions: 3
#include <atomic>
#include <cassert>
#include <thread>

class Queue {
 public:
  void push(int task) {
    const int bottom = bottom_;
    tasks_[bottom] = task;
    bottom_ = bottom + 1;
  }

  int take() {  // 0: no task is left
    const int bottom = bottom_ - 1;
    bottom_ = bottom;
    int top = top_;
    if (top > bottom) {
      bottom_ = top;
      return 0;
    }
    int task = tasks_[bottom];
    if (top == bottom) {
#ifndef BROKEN
      if (!top_.compare_exchange_strong(top, top + 1)) task = 0;
#else
      top_ = top + 1;
#endif
      bottom_ = bottom + 1;
    }
    return task;
  }

  int steal() {  // 0: no task is left, or another thread was faster
    int top = top_;
    if (top >= bottom_) return 0;
    const int task = tasks_[top];
    return top_.compare_exchange_strong(top, top + 1) ? task : 0;
  }

 private:
  std::atomic<int> top_ = 0;
  std::atomic<int> bottom_ = 0;
  std::atomic<int> tasks_[4];
};

Queue queue;
std::atomic<int> done[3];

void execute(int task) {
  if (task != 0) assert(done[task]++ == 0);
}

int main() {
  queue.push(1);
  queue.push(2);
  std::thread thief([] { execute(queue.steal()); });
  execute(queue.take());
  execute(queue.take());
  thief.join();
  assert(done[1] == 1 && done[2] == 1);
}
