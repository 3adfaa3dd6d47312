// A job is out of the queue and not yet counted as running: who waits for both looks in between.
// cause: came-between
// object: printer.running_
// says: do not release
// also: -O0
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

std::mutex paper_mutex;
int lines = 0;

class Printer {
 public:
  void add(int job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
  }
  void work() {
    int job = 0;
    {
      const std::lock_guard lock(mutex_);
      job = jobs_.front();
      jobs_.pop_front();  // [first]
#ifdef FIXED
      ++running_;
#endif
    }
#ifndef FIXED
    {
      const std::lock_guard lock(mutex_);
      ++running_;  // [last]
    }
#endif
    {
      const std::lock_guard lock(paper_mutex);
      lines += job;
    }
    const std::lock_guard lock(mutex_);
    --running_;
    idle_.notify_all();
  }
  void drain() {
    std::unique_lock lock(mutex_);
    while (!jobs_.empty() || running_ > 0) idle_.wait(lock);
  }

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<int> jobs_;
  int running_ = 0;
};

int main() {
  Printer printer;
  printer.add(7);
  std::thread worker(&Printer::work, &printer);
  printer.drain();
  {
    const std::lock_guard lock(paper_mutex);
    assert(lines == 7);
  }
  worker.join();
}
