// what: threads that exchange neighbours of one array (BubbleSort)
// broken: no lock protects the exchange
// near: -DSORTERS=3
// large: -DSORTERS=4
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifndef SIZE
#define SIZE 3
#endif
#ifndef SORTERS
#define SORTERS 2
#endif

std::mutex mutex;
std::atomic<int> values[SIZE];

void order(int i) {
#ifndef BROKEN
  const std::lock_guard<std::mutex> lock(mutex);
#endif
  const int left = values[i];
  const int right = values[i + 1];
  if (left <= right) return;
  values[i] = right;
  values[i + 1] = left;
}

void pass() {
  for (int i = 0; i + 1 < SIZE; ++i) order(i);
}

int main() {
  for (int i = 0; i < SIZE; ++i) values[i] = SIZE - i;
  std::thread sorters[SORTERS];
  for (std::thread& sorter : sorters) sorter = std::thread(pass);
  for (std::thread& sorter : sorters) sorter.join();
  int sum = 0;
  for (const std::atomic<int>& value : values) sum += value;
  assert(sum == SIZE * (SIZE + 1) / 2);
}
