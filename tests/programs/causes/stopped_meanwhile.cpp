// The state is looked at in one period of the lock, and acted on in another: a stop in between is
// undone.
// cause: came-between
// object: service.state_
// says: do both in one function that locks service.mutex_ once
#include <cassert>
#include <mutex>
#include <thread>

enum State { kIdle, kRunning, kStopped };

class Service {
 public:
  State state() {
    const std::lock_guard lock(mutex_);
    return state_;  // [first]
  }
  void start() {
#ifdef FIXED
    const std::lock_guard lock(mutex_);
    if (state_ == kIdle) state_ = kRunning;
#else
    if (state() == kIdle) {
      const std::lock_guard lock(mutex_);
      state_ = kRunning;  // [last]
    }
#endif
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    state_ = kStopped;
  }
  void check() {
    const std::lock_guard lock(mutex_);
    assert(state_ == kStopped);
  }

 private:
  std::mutex mutex_;
  State state_ = kIdle;
} service;

int main() {
  std::thread other([] { service.start(); });
  service.stop();
  other.join();
  service.check();
}
