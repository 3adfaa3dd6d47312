// An event: who waits looks twenty times, and then sleeps until it is woken. Broken: who sets it
// looks for sleepers first. It takes a waiter that gives up looking at the wrong moment.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

class Event {
 public:
  void set() {
#ifdef BROKEN
    const bool sleeper = sleepers_.load() > 0;
    is_set_.store(true);
#else
    is_set_.store(true);
    const bool sleeper = sleepers_.load() > 0;
#endif
    if (!sleeper) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    woken_.notify_all();
  }

  void wait() {
    for (int i = 0; i < 20; ++i) {
      if (is_set_.load()) return;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    ++sleepers_;
    woken_.wait(lock, [this] { return is_set_.load(); });
    --sleepers_;
  }

 private:
  std::atomic<bool> is_set_ = false;
  std::atomic<int> sleepers_ = 0;
  std::mutex mutex_;
  std::condition_variable woken_;
};

int main() {
  Event ready;
  std::thread waiter([&] { ready.wait(); });
  ready.set();
  waiter.join();
}
