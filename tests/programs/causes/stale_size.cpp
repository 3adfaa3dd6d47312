// The size is read once, and each element under a lock of its own: a short function, which may be
// inlined, and which holds the lock itself.
// cause: check-then-act
// object: items
// also: -O0
// says: size() and get() lock it themselves
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

std::mutex mutex;
std::vector<int> items = {1, 2, 3};

std::size_t size() {
  std::lock_guard<std::mutex> hold(mutex);
  return items.size();
}

int get(std::size_t i) {
  std::lock_guard<std::mutex> hold(mutex);
  assert(i < items.size());
  return items[i];
}

void pop() {
  std::lock_guard<std::mutex> hold(mutex);
  items.pop_back();
}

int sum() {
#ifdef FIXED
  std::lock_guard<std::mutex> hold(mutex);
  int all = 0;
  for (const int one : items) all += one;
  return all;
#else
  int all = 0;
  const std::size_t count = size();                       // [first]
  for (std::size_t i = 0; i < count; ++i) all += get(i);  // [last]
  return all;
#endif
}

int main() {
  std::thread reader([] { sum(); });
  std::thread writer(pop);
  reader.join();
  writer.join();
}
