// The list of listeners is locked while they are called, and one of them takes itself off it.
// cause: self-deadlock
// object: door.mutex_
// says: which it came to by the call at listener_locks_again.cpp:
// seen: before main::{lambda#1} is called
// never: do not lock
#include <functional>
#include <map>
#include <mutex>
#include <thread>

class Door {
 public:
  int listen(std::function<void()> listener) {
    const std::lock_guard lock(mutex_);
    listeners_[++last_] = std::move(listener);
    return last_;
  }
  void forget(int id) {
    const std::lock_guard lock(mutex_);  // [last]
    listeners_.erase(id);
  }
  void ring() {
#ifdef FIXED
    std::map<int, std::function<void()>> listeners;
    {
      const std::lock_guard lock(mutex_);
      listeners = listeners_;
    }
#else
    const std::lock_guard lock(mutex_);  // [first]
    const auto& listeners = listeners_;
#endif
    for (const auto& [id, listener] : listeners) {
      listener();
    }
  }

 private:
  std::mutex mutex_;
  std::map<int, std::function<void()>> listeners_;
  int last_ = 0;
} door;

int main() {
  int id = 0;
  id = door.listen([&] { door.forget(id); });
  std::thread bell([] { door.ring(); });
  bell.join();
}
