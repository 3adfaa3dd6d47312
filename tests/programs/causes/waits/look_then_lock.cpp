// The waiter looks under the lock, releases it, and takes it again to wait.
// cause: lost-wakeup
// object: stage.lit
// says: without releasing stage.mutex in between.
#include <condition_variable>
#include <mutex>
#include <thread>

struct Stage {
  std::mutex mutex;
  std::condition_variable lit;
  bool light = false;

  bool is_lit() {
    const std::lock_guard lock(mutex);
    return light;
  }
  void watch() {
#ifdef FIXED
    std::unique_lock lock(mutex);
    while (!light) lit.wait(lock);
#else
    while (!is_lit()) {
      std::unique_lock lock(mutex);
      lit.wait(lock);  // [last]
    }
#endif
  }
  void switch_on() {
    const std::lock_guard lock(mutex);
    light = true;
    lit.notify_one();  // [first]
  }
} stage;

int main() {
  std::thread audience([] { stage.watch(); });
  stage.switch_on();
  audience.join();
}
