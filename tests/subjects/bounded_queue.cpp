// bug: BoundedQueue::add_all
// paper: 004 Table 1, ArrayBlQ.
// seen by: none
// seen with functions: atomicity, serializability
// seen annotated: atomicity, serializability, atomic-set
//
// A blocking queue in a ring of fixed size. add_all() reads the elements of another queue with one
// synchronised call after the other. If a third party empties that queue meanwhile, the next
// element does not exist any more.
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "raddle/annotations.hpp"

class BoundedQueue {
 public:
  void put(int value) {
    std::unique_lock<std::mutex> lock(mutex_);
    insert(lock, value);
  }

  int take() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return count_ > 0; });
    const int value = ring_[first_];
    first_ = (first_ + 1) % ring_.size();
    --count_;
    changed_.notify_all();
    return value;
  }

  std::size_t size() {
    std::lock_guard<std::mutex> lock(mutex_);
    return count_;
  }

  int at(std::size_t index) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (index >= count_) throw std::out_of_range("at");
    return ring_[(first_ + index) % ring_.size()];
  }

  void add_all(BoundedQueue& other) {
#ifdef SUBJECT_ANNOTATED
    raddle::unit_of_work unit("add all", &other);
    raddle::atomic_block block("add all");
#endif
    const std::size_t size = other.size();
    for (std::size_t i = 0; i < size; ++i) put(other.at(i));
  }

 private:
  void insert(std::unique_lock<std::mutex>& lock, int value) {
    changed_.wait(lock, [&] { return count_ < ring_.size(); });
    ring_[(first_ + count_++) % ring_.size()] = value;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<int, 8> ring_{};
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  int strikes = 0;
  BoundedQueue source;
  BoundedQueue target;
  for (int i = 0; i < 3; ++i) source.put(i);
  std::thread copier([&] {
    for (int i = 0; i < rounds; ++i) {
      try {
        target.add_all(source);
      } catch (const std::out_of_range&) {
        ++strikes;
      }
      while (target.size() > 0) target.take();
    }
  });
  std::thread consumer([&] {
    for (int i = 0; i < rounds; ++i) {
      const int value = source.take();
      source.put(value);
    }
  });
  copier.join();
  consumer.join();
  return strikes == 0 ? 0 : 1;
}
