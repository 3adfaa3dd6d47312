// bug: Sorter::order
// paper: 004 Table 1, bubbleSort
// seen by: race, lockset, atomic-set
// seen with functions: atomicity, serializability
//
// Several threads bubble through one array and exchange neighbours without a lock. If two of them
// exchange the same element at the same time, one value is there twice and another is gone.
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

class Sorter {
 public:
  explicit Sorter(int size) : values_(size) {
    for (int i = 0; i < size; ++i) values_[i] = size - i;
  }

  void order(std::size_t i) {
    const int left = values_[i];
    const int right = values_[i + 1];
    if (left <= right) return;
    values_[i] = right;
    std::this_thread::yield();
    values_[i + 1] = left;
  }

  bool complete() {
    return std::accumulate(values_.begin(), values_.end(), 0L) ==
           static_cast<long>(values_.size() * (values_.size() + 1) / 2);
  }

 private:
  std::mutex mutex_;
  std::vector<int> values_;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 6;
  const int size = std::min(rounds, 400);
  Sorter sorter(size);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int pass = 0; pass < rounds / 2; ++pass) {
        for (int i = 0; i + 1 < size; ++i) sorter.order(i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return sorter.complete() ? 0 : 1;
}
