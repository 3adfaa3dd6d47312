// As stop_not_looked_at.cpp, but the printer has not come to look at the flag even once: it does so
// only behind the wait.
// cause: unwatched-change
// object: printer.changed_
// says: and did not look at it again before it waited
#include <condition_variable>
#include <mutex>
#include <thread>

struct Printer {
  std::mutex mutex_;
  std::condition_variable changed_;
  int sheets_ = 0;
  bool off_ = false;

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
#ifdef FIXED
      while (sheets_ == 0 && !off_) changed_.wait(lock);
#else
      while (sheets_ == 0) changed_.wait(lock);  // [last]
#endif
      if (off_) return;
      --sheets_;
    }
  }
  void add() {
    const std::lock_guard lock(mutex_);
    ++sheets_;
    changed_.notify_one();
  }
  void switch_off() {
    const std::lock_guard lock(mutex_);
    off_ = true;  // [first]
    changed_.notify_one();
  }
};

int main() {
  Printer printer;
  std::thread thread([&] { printer.run(); });
  printer.add();
  printer.switch_off();
  thread.join();
}
