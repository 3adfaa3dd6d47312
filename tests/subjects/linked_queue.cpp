// bug: LinkedQueue::add_all
// paper: 004 Table 1, LinkedBlQ.
// seen by: atomic-set
// seen with functions: atomicity, serializability
//
// A blocking queue of linked nodes. add_all() puts one value after the other, each under the lock.
// If clear() comes in between, the queue ends up with a part of the values. No order of whole calls
// explains that.
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class LinkedQueue {
 public:
  void put(int value) {
    std::lock_guard<std::mutex> lock(mutex_);
    insert(value);
  }

  int take() {
    std::unique_lock<std::mutex> lock(mutex_);
    filled_.wait(lock, [&] { return size_ > 0; });
    std::unique_ptr<Node> node = std::move(head_.next);
    head_.next = std::move(node->next);
    if (--size_ == 0) last_ = &head_;
    return node->value;
  }

  void add_all(const std::vector<int>& values) {
    for (int value : values) put(value);
  }

  void clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    while (head_.next) head_.next = std::move(head_.next->next);
    last_ = &head_;
    size_ = 0;
  }

  std::size_t size() {
    std::lock_guard<std::mutex> lock(mutex_);
    return size_;
  }

 private:
  struct Node {
    int value = 0;
    std::unique_ptr<Node> next;
  };

  void insert(int value) {
    last_->next = std::make_unique<Node>();
    last_ = last_->next.get();
    last_->value = value;
    ++size_;
    filled_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable filled_;
  Node head_;
  Node* last_ = &head_;
  std::size_t size_ = 0;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  const std::vector<int> values = {1, 2, 3};
  int strikes = 0;
  LinkedQueue queue;
  std::thread adder([&] {
    for (int i = 0; i < rounds; ++i) queue.add_all(values);
  });
  std::thread cleaner([&] {
    for (int i = 0; i < rounds; ++i) {
      if (queue.size() % values.size() != 0) ++strikes;
      queue.clear();
    }
  });
  adder.join();
  cleaner.join();
  queue.put(0);
  while (queue.take() != 0) continue;
  return strikes == 0 ? 0 : 1;
}
