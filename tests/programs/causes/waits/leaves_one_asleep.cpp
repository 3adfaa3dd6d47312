// Closing time: two guards wait for it, and one of them is told.
// cause: too-few-woken
// object: hall.changed
// says: notify_all at
#include <condition_variable>
#include <mutex>
#include <thread>

struct Hall {
  std::mutex mutex;
  std::condition_variable changed;
  bool closed = false;

  void guard() {
    std::unique_lock lock(mutex);
    while (!closed) changed.wait(lock);  // [last]
  }
  void close() {
    {
      const std::lock_guard lock(mutex);
      closed = true;
    }
#ifdef FIXED
    changed.notify_all();
#else
    changed.notify_one();  // [first]
#endif
  }
} hall;

int main() {
  std::thread north([] { hall.guard(); });
  std::thread south([] { hall.guard(); });
  hall.close();
  north.join();
  south.join();
}
