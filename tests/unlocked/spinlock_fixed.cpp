// A lock of an atomic variable: an exchange looks and takes in one step.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> taken = 0;
int inside = 0;
int most = 0;

void lock() {
  while (taken.exchange(1, std::memory_order_acquire) != 0) std::this_thread::yield();
}
void unlock() { taken.store(0, std::memory_order_release); }

void work() {
  for (int i = 0; i < 2; ++i) {
    lock();
    ++inside;
    if (inside > most) most = inside;
    --inside;
    unlock();
  }
}

int main() {
  std::thread first(work), second(work);
  first.join();
  second.join();
  assert(most == 1);
}
