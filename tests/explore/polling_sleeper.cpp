// One thread looks under a lock and yields, again and again; the other sleeps before it goes on.
// Time passes although one thread can always move. Broken: the flag is set before the value.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

std::mutex mutex;
bool ready = false;
int value = 0;

bool is_ready() {
  const std::lock_guard<std::mutex> lock(mutex);
  return ready;
}

template <class T>
void set(T& variable, T to) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::lock_guard<std::mutex> lock(mutex);
  variable = to;
}

int main() {
  std::thread other([] {
#ifdef BROKEN
    set(ready, true);
    set(value, 42);
#else
    set(value, 42);
    set(ready, true);
#endif
  });
  while (!is_ready()) std::this_thread::yield();
  {
    const std::lock_guard<std::mutex> lock(mutex);
    assert(value == 42);
  }
  other.join();
}
