// A job that finds the printer switched off keeps its slot, of a semaphore that the C++ library
// counts by itself; who closes the printer waits for all of them.
// cause: permit-kept
// object: slots
#include <atomic>
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> slots(2);
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
