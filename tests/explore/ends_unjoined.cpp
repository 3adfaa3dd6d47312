// what: the end of the process looks at records that a thread writes
// broken: nobody waits for the thread, and the end comes between any two of its steps
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>

std::mutex mutex;
int first, second;

void write_records() {
  {
    const std::lock_guard lock(mutex);
    first = 1;
  }
  const std::lock_guard lock(mutex);
  second = 1;
}

void look() { assert(first == second); }

int main() {
  std::atexit(look);
  std::thread writer(write_records);
#ifdef BROKEN
  writer.detach();
#else
  writer.join();
#endif
}
