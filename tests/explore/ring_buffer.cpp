// what: a ring buffer between one producer and one consumer
// broken: the producer moves the end before it has written the element
#include <atomic>
#include <cassert>
#include <thread>

class Ring {
 public:
  bool put(int value) {
    const int end = end_;
    if (end - begin_ == kSize) return false;
#ifndef BROKEN
    slots_[end % kSize] = value;
    end_ = end + 1;
#else
    end_ = end + 1;
    slots_[end % kSize] = value;
#endif
    return true;
  }

  bool get(int& value) {
    const int begin = begin_;
    if (begin == end_) return false;
    value = slots_[begin % kSize];
    begin_ = begin + 1;
    return true;
  }

 private:
  static constexpr int kSize = 2;
  std::atomic<int> begin_ = 0;
  std::atomic<int> end_ = 0;
  std::atomic<int> slots_[kSize];
};

int main() {
  Ring ring;
  std::thread producer([&] {
    for (int value = 1; value <= 3; ++value) {
      while (!ring.put(value)) {
      }
    }
  });
  for (int expected = 1; expected <= 3; ++expected) {
    int value = 0;
    while (!ring.get(value)) {
    }
    assert(value == expected);
  }
  producer.join();
}
