// Two stores each have a lock; moving goods takes the source's first. The change (report.patch)
// adds a report that takes the same two locks the other way round: a deadlock.
#include <cassert>
#include <mutex>
#include <thread>

class Log {
 public:
  void write() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++lines_;
  }

 private:
  std::mutex mutex_;
  int lines_ = 0;
};

Log report_log;

class Stores {
 public:
  void move(int count) {
    const std::lock_guard<std::mutex> from(here_mutex_);
    const std::lock_guard<std::mutex> to(there_mutex_);
    here_ -= count;
    there_ += count;
  }

  int report() {
    const std::lock_guard<std::mutex> there(there_mutex_);
    const std::lock_guard<std::mutex> here(here_mutex_);
    return here_ + there_;
  }

 private:
  std::mutex here_mutex_;
  std::mutex there_mutex_;
  int here_ = 10;
  int there_ = 0;
};

Stores stores;

void mover() {
  report_log.write();
  stores.move(1);
  report_log.write();
  report_log.write();
}

void reporter() {
  report_log.write();
  assert(stores.report() == 10);
  report_log.write();
  report_log.write();
}

int main() {
  std::thread one(mover);
  std::thread two(reporter);
  one.join();
  two.join();
}
