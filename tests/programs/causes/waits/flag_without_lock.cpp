// A lighthouse keeper looks whether it is day, takes the lock, and sleeps until it is woken. The
// day begins without the lock, after the look and before the sleep.
// cause: lost-wakeup
// object: house.woken_
// says: Neither
// seen: where house.day_ is changed
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

class Lighthouse {
 public:
  void keep() {
    while (!day_) {
      std::unique_lock lock(mutex_);
#ifdef FIXED
      if (day_) return;
#endif
      woken_.wait(lock);  // [last]
    }
  }
  void sunrise() {
#ifdef FIXED
    const std::lock_guard lock(mutex_);
#endif
    day_ = true;
    woken_.notify_all();  // [first]
  }

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  std::atomic<bool> day_{false};
};

int main() {
  Lighthouse house;
  std::thread keeper([&] { house.keep(); });
  house.sunrise();
  keeper.join();
}
