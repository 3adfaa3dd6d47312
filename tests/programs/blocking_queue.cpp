// expect: passed
// output: consumed 21
// A queue whose pop() waits for an item. Its lock is free while it waits, and the producer comes in
// between.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

namespace {

class Queue {
 public:
  void push(int item) {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      items_.push_back(item);
    }
    filled_.notify_one();
  }
  int pop() {
    std::unique_lock<std::mutex> hold(mutex_);
    filled_.wait(hold, [this] { return !items_.empty(); });
    const int item = items_.front();
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<int> items_;
};

Queue queue;
int sums[2];

void consume(int which) {
  for (int i = 0; i < 3; ++i) sums[which] += queue.pop();
}

}  // namespace

int main() {
  std::thread one(consume, 0), two(consume, 1);
  for (int item = 1; item <= 6; ++item) queue.push(item);
  one.join();
  two.join();
  std::printf("consumed %d\n", sums[0] + sums[1]);
}
