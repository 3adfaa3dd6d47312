// An event is reset before the wait for it, and was set already.
// cause: came-too-early
// object: done.on_
// also: -O0
#include <condition_variable>
#include <mutex>
#include <thread>

class Event {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    on_ = true;  // [first]
    changed_.notify_all();
  }
  void reset() {
    const std::lock_guard lock(mutex_);
    on_ = false;  // [last]
  }
  void wait() {
    std::unique_lock lock(mutex_);
    while (!on_) changed_.wait(lock);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool on_ = false;
};

int main() {
  Event done;
#ifdef FIXED
  done.reset();
#endif
  std::thread worker([&] { done.set(); });
#ifndef FIXED
  done.reset();
#endif
  done.wait();
  worker.join();
}
