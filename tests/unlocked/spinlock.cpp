// A lock of a plain variable: looking and taking are two steps.
#include <cassert>
#include <thread>

volatile int taken = 0;
volatile int inside = 0;  // volatile: the compiler may not join accesses to it
int most = 0;

void lock() {
  while (taken != 0) std::this_thread::yield();
  taken = 1;
}
void unlock() { taken = 0; }

void work() {
  for (int i = 0; i < 2; ++i) {
    lock();
    inside = inside + 1;
    if (inside > most) most = inside;
    inside = inside - 1;
    unlock();
  }
}

int main() {
  std::thread first(work), second(work);
  first.join();
  second.join();
  assert(most == 1);
}
