// The notifier does not hold the lock: its signal falls between the look at the flag and the wait.
// cause: lost-wakeup
// object: ready_changed
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable ready_changed;
std::atomic<bool> ready{false};

void publish() {
#ifdef FIXED
  const std::lock_guard lock(mutex);
#endif
  ready = true;
  ready_changed.notify_one();  // [first]
}

void wait_until_ready() {
  std::unique_lock lock(mutex);
  while (!ready) ready_changed.wait(lock);  // [last]
}

int main() {
  std::thread loader(publish);
  wait_until_ready();
  loader.join();
}
