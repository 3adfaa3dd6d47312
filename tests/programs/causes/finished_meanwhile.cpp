// The printer finds no page, then sees that no more will come; the last page came in between.
// cause: came-between
// object: spool.finished
// also: -O2
// shows: writes pages = 1
// says: in one in which it went on after both, it passed
#include <atomic>
#include <mutex>
#include <thread>

struct Spool {
  std::mutex mutex;
  int pages = 0;
  std::atomic<bool> finished{false};
} spool;

int printed = 0;

bool take() {
  const std::lock_guard lock(spool.mutex);
  if (spool.pages == 0) return false;  // [first]
  --spool.pages;
  return true;
}

void print_all() {
  for (;;) {
#ifdef FIXED
    const bool finished = spool.finished;
    if (take()) {
      ++printed;
    } else if (finished) {
      return;
    }
#else
    if (take()) {
      ++printed;
    } else if (spool.finished) {  // [last]
      return;
    }
#endif
    std::this_thread::yield();
  }
}

void feed() {
  {
    const std::lock_guard lock(spool.mutex);
    ++spool.pages;
  }
  spool.finished = true;
}

int main() {
  std::thread printer(print_all);
  std::thread feeder(feed);
  printer.join();
  feeder.join();
  return printed == 1 ? 0 : 1;
}
