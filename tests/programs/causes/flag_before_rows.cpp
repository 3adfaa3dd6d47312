// The flag is set before the container is filled: who sees it does not take the lock.
// cause: unsafe-publication
// object: table.rows_
// says: write table.loaded_ (at flag_before_rows.cpp:24) last
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

class Table {
 public:
  int at(unsigned row) {
    if (!loaded_) fill();
    if (rows_.empty()) std::abort();  // [last]
    return rows_[row];
  }

 private:
  void fill() {
    const std::lock_guard lock(mutex_);
    if (loaded_) return;
#ifndef FIXED
    loaded_ = true;  // [first]
#endif
    rows_.push_back(7);
#ifdef FIXED
    loaded_ = true;
#endif
  }

  std::mutex mutex_;
  std::atomic<bool> loaded_{false};
  std::vector<int> rows_;
} table;

int main() {
  std::thread other([] { table.at(0); });
  table.at(0);
  other.join();
}
