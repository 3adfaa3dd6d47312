// what: threads that exchange neighbours of one array (BubbleSort)
// broken: no lock protects the exchange
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kSize = 3;
std::mutex mutex;
std::atomic<int> values[kSize] = {3, 2, 1};

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
  for (int i = 0; i + 1 < kSize; ++i) order(i);
}

int main() {
  std::thread one(pass);
  std::thread two(pass);
  one.join();
  two.join();
  assert(values[0] + values[1] + values[2] == 6);
}
