// A cook signals each plate after it has let go of the hatch. A waiter takes the plate first, and a
// second one begins to wait in between: the signal wakes it for a plate that is gone.
// cause: not-checked-after-wait
// object: hatch.plates_
// says: did not check again
// seen: in a loop
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

class Hatch {
 public:
  void put(int table) {
    {
      const std::lock_guard lock(mutex_);
      plates_.push_back(table);
    }
    ready_.notify_all();
  }
  int take() {
    std::unique_lock lock(mutex_);
#ifdef FIXED
    while (plates_.empty()) ready_.wait(lock);
#else
    if (plates_.empty()) ready_.wait(lock);  // [first]
#endif
    if (plates_.empty()) std::abort();  // [last]
    const int table = plates_.front();
    plates_.pop_front();
    return table;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<int> plates_;
};

int main() {
  Hatch hatch;
  std::thread first([&] { (void)hatch.take(); });
  std::thread second([&] { (void)hatch.take(); });
  hatch.put(4);
  hatch.put(9);
  first.join();
  second.join();
}
