// Readers of a page are counted; who wants to edit stays a reader and waits until it is the only
// one. Two that want to wait for each other.
// cause: each-other
// object: page.changed
// says: neither changes it again before its wait is over
#include <condition_variable>
#include <mutex>
#include <thread>

struct Page {
  std::mutex mutex;
  std::condition_variable changed;
  int readers = 0;
#ifdef FIXED
  bool wanted = false;
#endif

  void open() {
    const std::lock_guard lock(mutex);
    ++readers;  // [first]
  }
  void close() {
    const std::lock_guard lock(mutex);
    --readers;
    changed.notify_all();
  }
  bool edit() {
    std::unique_lock lock(mutex);
#ifdef FIXED
    if (wanted) return false;
    wanted = true;
#endif
    while (readers != 1) changed.wait(lock);  // [last]
#ifdef FIXED
    wanted = false;
#endif
    return true;
  }
} page;

void work() {
  page.open();
  page.edit();
  page.close();
}

int main() {
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
}
