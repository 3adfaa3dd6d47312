// Main hopes that the worker is done: with SLEEP because it has slept for long enough, else because
// it has waited for it.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

int main() {
  std::mutex m;
  int done = 0;
  std::thread worker([&] {
    for (int i = 0; i < 3; ++i) {
      std::lock_guard lock(m);
      ++done;
    }
  });
#ifdef SLEEP
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
#else
  worker.join();
#endif
  {
    std::lock_guard lock(m);
    assert(done == 3);
  }
#ifdef SLEEP
  worker.join();
#endif
}
