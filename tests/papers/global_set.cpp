// Two global variables that belong together, and each is read and written under a lock. With
// -DFIXED both are.
#include <mutex>
#include <thread>

#include <raddle/annotations.hpp>

RADDLE_ATOMIC_SET("range") int low = 0;
RADDLE_ATOMIC_SET("range") int high = 0;
std::mutex mutex;

#ifdef FIXED
#define WHOLE std::lock_guard<std::mutex> whole(mutex)
#define PART
#else
#define WHOLE
#define PART std::lock_guard<std::mutex> part(mutex)
#endif

__attribute__((noinline)) void move(int by) {
  WHOLE;
  {
    PART;
    low += by;
  }
  {
    PART;
    high += by;
  }
}

__attribute__((noinline)) int width() {
  WHOLE;
  int from, to;
  {
    PART;
    from = low;
  }
  {
    PART;
    to = high;
  }
  return to - from;
}

__attribute__((noinline)) void moves() {
  for (int i = 0; i < 3; ++i) move(1);
}

__attribute__((noinline)) void looks() {
  for (int i = 0; i < 3; ++i) width();
}

int main() {
  std::thread mover(moves), reader(looks);
  mover.join();
  reader.join();
}
