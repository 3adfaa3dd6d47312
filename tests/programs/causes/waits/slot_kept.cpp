// A job that finds the printer switched off keeps its slot, of a semaphore that the C++ library
// counts by itself; who closes the printer waits for all of them. The twin counts with a semaphore
// of POSIX: libstdc++'s may lose a wake-up, which is no fault of this program.
// cause: permit-kept
// object: slots
#include <semaphore.h>

#include <atomic>
#include <semaphore>
#include <thread>

#ifdef FIXED
static struct Slots {
  Slots() { sem_init(&free, 0, 2); }
  void acquire() { sem_wait(&free); }
  void release(int n = 1) {
    while (n-- > 0) sem_post(&free);
  }
  sem_t free;
} slots;
#else
static std::counting_semaphore<2> slots(2);
#endif
static std::atomic<bool> on{true};

static void print() {
  slots.acquire();  // [first]
#ifdef FIXED
  if (!on) {
    slots.release();
    return;
  }
#else
  if (!on) return;
#endif
  slots.release();
}

static void close() {
  on = false;
  for (int i = 0; i < 2; ++i) slots.acquire();  // [last]
  slots.release(2);
}

int main() {
  std::thread a(print);
  std::thread b(print);
  close();
  a.join();
  b.join();
}
