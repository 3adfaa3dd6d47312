// A thread leaves when it is told to stop, whatever is left to do. That the stop comes after one
// look of the thread is not enough: it looks once for each line.
// cause: came-too-early
// object: printer.stop_
// says: In one execution
// never: it passes
// never: until T1 has come past
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Printer {
 public:
  void print(int line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
    changed_.notify_one();
  }
  int stop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;  // [first]
      changed_.notify_one();
    }
    thread_.join();
    return printed_;
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !lines_.empty(); });  // [last]
#ifdef FIXED
      if (lines_.empty()) return;
#else
      if (stop_) return;
#endif
      lines_.pop_front();
      lock.unlock();
      ++printed_;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> lines_;
  bool stop_ = false;
  int printed_ = 0;
  std::thread thread_{[this] { run(); }};
};

int main() {
  Printer printer;
  printer.print(1);
  printer.print(2);
  return printer.stop() == 2 ? 0 : 1;
}
