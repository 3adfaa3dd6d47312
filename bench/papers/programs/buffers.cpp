// Synchronised buffers, after section 5.3 of Park and Sen (2008): BlockingBuffer, BoundedFifoBuffer
// and CircularFifoBuffer of Apache Commons-Collections. Compile with -DBUFFER=BlockingBuffer and so
// on.
//
// The wrapper locks the buffer for every call. The one bulk operation comes from a base that knows
// nothing of threads: it walks over the other buffer call by call, and that buffer may change
// between two calls. The consumer has something else to do before.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>

class BlockingBuffer {
 public:
  static constexpr bool kWaits = true;
  void add(std::deque<int>& values, int value) const { values.push_back(value); }
};

class BoundedFifoBuffer {
 public:
  static constexpr bool kWaits = false;
  void add(std::deque<int>& values, int value) const {
    if (values.size() == 8) throw std::overflow_error("the buffer is full");
    values.push_back(value);
  }
};

class CircularFifoBuffer {
 public:
  static constexpr bool kWaits = false;
  void add(std::deque<int>& values, int value) const {
    if (values.size() == 4) values.pop_front();
    values.push_back(value);
  }
};

template <class Kind>
class Synchronized {
 public:
  void add(int value) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    kind_.add(values_, value);
    filled_.notify_one();
  }

  int remove() {
    std::unique_lock<std::recursive_mutex> lock(mutex_);
    if (Kind::kWaits) filled_.wait(lock, [&] { return !values_.empty(); });
    if (values_.empty()) throw std::underflow_error("the buffer is empty");
    const int value = values_.front();
    values_.pop_front();
    return value;
  }

  std::size_t size() {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    return values_.size();
  }

  int nth(std::size_t index) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    return values_.at(index);
  }

  void add_all(Synchronized& other) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    const std::size_t size = other.size();
    for (std::size_t i = 0; i < size; ++i) kind_.add(values_, other.nth(i));
  }

 private:
  std::recursive_mutex mutex_;
  std::condition_variable_any filled_;
  Kind kind_;
  std::deque<int> values_;
};

int main() {
  Synchronized<BUFFER> target;
  Synchronized<BUFFER> source;
  for (int i = 0; i < 3; ++i) source.add(i);
  std::thread copier([&] { target.add_all(source); });
  Synchronized<BUFFER> unrelated;
  std::thread consumer([&] {
    for (int i = 0; i < 4; ++i) unrelated.add(i);
    const int value = source.remove();
    source.add(value);
  });
  copier.join();
  consumer.join();
}
