// Threads borrow an object from a pool and wipe it when they give it back. Since the change
// (pool.patch) the pool has it back before it is wiped, and the next borrower can find somebody
// else's data in it.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Journal {
 public:
  void write(int what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_ = what;
    ++lines_;
  }

  int lines() const { return lines_; }

 private:
  std::mutex mutex_;
  std::atomic<int> last_ = 0;
  std::atomic<int> lines_ = 0;
};

class Pool {
 public:
  bool borrow() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (lent_) return false;
    lent_ = true;
    return true;
  }

  void give_back() {
    free();
    data = 0;
  }

  std::atomic<int> data = 0;

 private:
  void free() {
    const std::lock_guard<std::mutex> lock(mutex_);
    lent_ = false;
  }

  std::mutex mutex_;
  bool lent_ = false;
};

Pool pool;
Journal journal;

void borrower(int number) {
  journal.write(number);
  if (pool.borrow()) {
    assert(pool.data == 0);
    pool.data = number;
    pool.give_back();
  }
  journal.write(number);
}

int main() {
  std::thread one(borrower, 1);
  std::thread two(borrower, 2);
  one.join();
  two.join();
}
