// bug: MergeSort::claim|Budget::(left|take)
// paper: 004 Table 1, MergeSort (not found there)
// seen by: none
// seen with functions: atomicity, serializability
// seen annotated: atomicity, serializability, atomic-set
//
// A thread of its own sorts each half, as long as the budget of threads allows. Asking whether a
// thread is left and taking it are two synchronised calls. The sorter makes them without a lock
// around both, so more threads run than the budget allows. Only an annotation says that the two
// calls belong together.
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "raddle/annotations.hpp"

class Budget {
 public:
  explicit Budget(int threads) : left_(threads) {}
  int left() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    return left_;
  }
  void take() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (--left_ < 0) overdrawn_ = true;
  }
  void give() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    ++left_;
  }
  bool overdrawn() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    return overdrawn_;
  }
  std::recursive_mutex& mutex() { return mutex_; }

 private:
  std::recursive_mutex mutex_;
  int left_;
  bool overdrawn_ = false;
};

class MergeSort {
 public:
  explicit MergeSort(Budget& budget) : budget_(budget) {}

  void sort(int* begin, int* end) {
    if (end - begin < 2) return;
    int* middle = begin + (end - begin) / 2;
    if (claim()) {
      std::thread other([&] { sort(begin, middle); });
      sort(middle, end);
      other.join();
      budget_.give();
    } else {
      sort(begin, middle);
      sort(middle, end);
    }
    std::vector<int> merged(end - begin);
    std::merge(begin, middle, middle, end, merged.begin());
    std::copy(merged.begin(), merged.end(), begin);
  }

 private:
  bool claim() {
#ifdef SUBJECT_ANNOTATED
    raddle::atomic_block block("claim a thread");
#endif
    if (budget_.left() <= 0) return false;
    budget_.take();
    return true;
  }

  Budget& budget_;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 8;
  std::vector<int> values(rounds);
  for (int i = 0; i < rounds; ++i) values[i] = (i * 7919) % 1009;
  Budget budget(2);
  MergeSort(budget).sort(values.data(), values.data() + rounds);
  return std::is_sorted(values.begin(), values.end()) && !budget.overdrawn() ? 0 : 1;
}
