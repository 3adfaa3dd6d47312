// what: a pool lends objects, and makes a new one when it has none, up to a limit (Pool)
// broken: the pool counts its objects after it has made the new one
// near: -DBORROWERS=3
// large: -DBORROWERS=4
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

#ifndef BORROWERS
#define BORROWERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

constexpr int kMost = 1;

class Pool {
 public:
  int borrow() {
    std::unique_lock<std::mutex> lock(mutex_);
    returned_.wait(lock, [&] { return idle_ > 0 || made_ < kMost; });
    if (idle_ > 0) return --idle_, lent();
#ifndef BROKEN
    ++made_;
    return lent();
#else
    lock.unlock();  // making one takes time
    const int object = lent();
    lock.lock();
    ++made_;
    return object;
#endif
  }

  void give_back() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --out_;
    ++idle_;
    returned_.notify_one();
  }

 private:
  int lent() {
    const int out = ++out_;
    assert(out <= kMost);
    return out;
  }

  std::mutex mutex_;
  std::condition_variable returned_;
  std::atomic<int> out_ = 0;
  int idle_ = 0;
  int made_ = 0;
};

Pool pool;

void work() {
  for (int i = 0; i < ROUNDS; ++i) {
    pool.borrow();
    pool.give_back();
  }
}

int main() {
  std::thread borrowers[BORROWERS];
  for (std::thread& borrower : borrowers) borrower = std::thread(work);
  for (std::thread& borrower : borrowers) borrower.join();
}
