// The flag is set before the table is filled: who sees it does not take the lock.
// cause: unsafe-publication
// object: table
// also: -O0
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
std::atomic<bool> filled{false};
int table[4];

int lookup(int key) {
  if (!filled) {
    const std::lock_guard lock(mutex);
    if (!filled) {
#ifndef FIXED
      filled = true;  // [first]
#endif
      for (int i = 0; i < 4; ++i) table[i] = i * i + 1;
#ifdef FIXED
      filled = true;
#endif
    }
  }
  return table[key];  // [last]
}

int main() {
  std::thread early([] { assert(lookup(3) == 10); });
  assert(lookup(2) == 5);
  early.join();
}
