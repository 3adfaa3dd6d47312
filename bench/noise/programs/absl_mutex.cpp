// library: Abseil
// package: libabsl-dev
// pkg-config: absl_synchronization absl_time
// A bounded buffer whose threads wait for conditions of absl::Mutex.
#include <absl/synchronization/mutex.h>

#include <cassert>
#include <deque>
#include <thread>

class Buffer {
 public:
  void put(int item) {
    absl::MutexLock hold(&mutex_, absl::Condition(this, &Buffer::has_room));
    items_.push_back(item);
  }
  int take() {
    absl::MutexLock hold(&mutex_);
    mutex_.Await(absl::Condition(+[](std::deque<int>* items) { return !items->empty(); }, &items_));
    const int item = items_.front();
    items_.pop_front();
    return item;
  }
  std::size_t size() {
    absl::ReaderMutexLock hold(&mutex_);
    return items_.size();
  }

 private:
  bool has_room() const { return items_.size() < 2; }
  absl::Mutex mutex_;
  std::deque<int> items_;
};

int main() {
  Buffer buffer;
  const auto produce = [&] {
    for (int i = 1; i <= 3; ++i) buffer.put(i);
  };
  std::thread one(produce), two(produce);
  int sum = 0;
  for (int i = 0; i < 6; ++i) {
    sum += buffer.take();
    assert(buffer.size() <= 2);
  }
  one.join();
  two.join();
  assert(sum == 12);
}
