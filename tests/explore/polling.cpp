// A consumer waits: it looks under the lock again and again, and yields in between. Broken: the
// producer announces the value before it is there.
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
bool ready = false;
int value = 0;

void consume() {
  for (;;) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (ready) {
        assert(value == 42);
        return;
      }
    }
    std::this_thread::yield();
  }
}

template <class T>
void set(T& variable, T to) {
  const std::lock_guard<std::mutex> lock(mutex);
  variable = to;
}

int main() {
  std::thread consumer(consume);
#ifdef BROKEN
  set(ready, true);
  set(value, 42);
#else
  set(value, 42);
  set(ready, true);
#endif
  consumer.join();
}
