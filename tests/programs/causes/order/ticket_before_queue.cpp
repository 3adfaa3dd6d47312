// Who comes in draws a number and then stands in line. Another one may do both in between: then the
// line is not in the order of the numbers.
// cause: overtaken
// object: hall.next_number_
// says: changed hall.next_number_ from 7 to 8
// seen: with hall.mutex_ held
// never: came between
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

class Hall {
 public:
  void enter() {
#ifdef FIXED
    const std::lock_guard lock(mutex_);
    const int number = next_number_.fetch_add(1);
#else
    const int number = next_number_.fetch_add(1);  // [first]
    const std::lock_guard lock(mutex_);            // [last]
#endif
    line_.push_back(number);
  }
  bool is_in_order() {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 1; i < line_.size(); ++i) {
      if (line_[i] < line_[i - 1]) return false;
    }
    return true;
  }

 private:
  std::atomic<int> next_number_{7};
  std::mutex mutex_;
  std::vector<int> line_;
} hall;

int main() {
  std::thread door([] { hall.enter(); });
  std::thread gate([] { hall.enter(); });
  door.join();
  gate.join();
  assert(hall.is_in_order());
}
