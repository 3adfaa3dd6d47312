// There is nothing to look at but the signal, and the signal may come first.
// cause: lost-wakeup
// object: started
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable started;
bool is_started = false;

void start() {
  const std::lock_guard lock(mutex);
#ifdef FIXED
  is_started = true;
#endif
  started.notify_one();  // [first]
}

int main() {
  std::thread service(start);
  {
    std::unique_lock lock(mutex);
#ifdef FIXED
    while (!is_started) started.wait(lock);
#else
    started.wait(lock);  // [last]
#endif
  }
  service.join();
}
