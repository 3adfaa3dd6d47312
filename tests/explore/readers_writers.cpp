// what: readers and a writer over a mutex and a condition variable
// broken: a leaving thread wakes only one waiter, which may be the wrong one
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class SharedLock {
 public:
  void lock_shared() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return !writing_ && wants_to_write_ == 0; });
    ++readers_;
  }
  void unlock_shared() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --readers_;
    wake();
  }
  void lock() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++wants_to_write_;
    changed_.wait(lock, [&] { return !writing_ && readers_ == 0; });
    --wants_to_write_;
    writing_ = true;
  }
  void unlock() {
    const std::lock_guard<std::mutex> lock(mutex_);
    writing_ = false;
    wake();
  }

 private:
  void wake() {
#ifndef BROKEN
    changed_.notify_all();
#else
    changed_.notify_one();
#endif
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int readers_ = 0;
  int wants_to_write_ = 0;
  bool writing_ = false;
};

SharedLock lock;
int value = 0;

void read() {
  lock.lock_shared();
  const int seen = value;
  assert(seen == 0 || seen == 1);
  lock.unlock_shared();
}

int main() {
  std::thread one(read);
  std::thread two(read);
  lock.lock();
  value = 1;
  lock.unlock();
  one.join();
  two.join();
}
