// Two accounts. A withdrawal from the first looks at the balance in one critical section and takes
// in another: the bug of the main branch. With -DCHANGED a pull request brings in the same in the
// second account, and lines above the first.
#include <cassert>
#include <mutex>
#include <thread>

#ifdef CHANGED
// Lines that move what follows
// further down.
#endif
class Account {
 public:
  int balance() {
    std::lock_guard<std::mutex> guard(mutex_);
    return balance_;
  }
  void withdraw(int amount) {
    std::lock_guard<std::mutex> guard(mutex_);
    balance_ -= amount;
    assert(balance_ >= 0);
  }

 private:
  std::mutex mutex_;
  int balance_ = 100;
};

class Stock {
 public:
  bool sell(int count) {
#ifdef CHANGED
    if (left() < count) return false;
    std::lock_guard<std::mutex> guard(mutex_);
#else
    std::lock_guard<std::mutex> guard(mutex_);
    if (left_ < count) return false;
#endif
    left_ -= count;
    assert(left_ >= 0);
    return true;
  }
  int left() {
    std::lock_guard<std::mutex> guard(mutex_);
    return left_;
  }

 private:
  std::mutex mutex_;
  int left_ = 5;
};

int main() {
  Account account;
  Stock stock;
  auto work = [&] {
    if (account.balance() >= 70) account.withdraw(70);
    stock.sell(3);
  };
  std::thread one(work), two(work);
  one.join();
  two.join();
}
