// Each thread counts itself in when it runs: who waits for all of them may see nobody yet.
// cause: read-too-early
// object: result
// says: counted itself in
// never: wait for that write
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Group {
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0;

  void enter() {
    std::lock_guard<std::mutex> hold(mutex);
    ++running;
  }
  void leave() {
    std::lock_guard<std::mutex> hold(mutex);
    if (--running == 0) changed.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> hold(mutex);
    changed.wait(hold, [this] { return running == 0; });
  }
};

Group group;
int result;

int main() {
#ifdef FIXED
  group.enter();
#endif
  std::thread worker([] {
#ifndef FIXED
    group.enter();
#endif
    result = 7;  // [last]
    group.leave();
  });
  group.wait();
  const int seen = result;  // [first]
  worker.join();
  assert(seen == 7);
}
