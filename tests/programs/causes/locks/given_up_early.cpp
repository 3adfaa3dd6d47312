// The flag that keeps others out is cleared before the last write.
// cause: lost-update
// object: entries
// says: gave it up at given_up_early.cpp:21
// also: -O0
#include <atomic>
#include <cassert>
#include <thread>

std::atomic_flag busy;
int entries = 0;
int log_[8];

void append(int value) {
  while (busy.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  const int at = entries;  // [first]
  log_[at] = value;
#ifdef FIXED
  entries = at + 1;
#endif
  busy.clear(std::memory_order_release);
#ifndef FIXED
  entries = at + 1;  // [last]
#endif
}

int main() {
  std::thread other([] { append(1); });
  append(2);
  other.join();
  assert(entries == 2);
}
