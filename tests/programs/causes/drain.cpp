// An empty queue is taken for work that is done; the worker has yet to do the last job.
// cause: read-too-early
// object: report.lines
// says: wait for that write of T1
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

struct Report {
  std::mutex mutex;
  int lines = 0;
} report;

void print(int lines) {
  const std::lock_guard lock(report.mutex);
  report.lines += lines;  // [last]
}

int printed() {
  const std::lock_guard lock(report.mutex);
  return report.lines;  // [first]
}

class Printer {
 public:
  void add(int job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
  }
  void work() {
    std::unique_lock lock(mutex_);
    while (!jobs_.empty()) {
      const int job = jobs_.front();
      jobs_.pop_front();
      ++busy_;
      lock.unlock();
      print(job);
      lock.lock();
      --busy_;
      idle_.notify_all();
    }
  }
  void drain() {
    std::unique_lock lock(mutex_);
#ifdef FIXED
    while (!jobs_.empty() || busy_ > 0) idle_.wait(lock);
#else
    while (!jobs_.empty()) idle_.wait(lock);
#endif
  }

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<int> jobs_;
  int busy_ = 0;
};

int main() {
  Printer printer;
  printer.add(20);
  printer.add(7);
  std::thread worker(&Printer::work, &printer);
  printer.drain();
  assert(printed() == 27);
  worker.join();
}
