// expect: passed
// seeds: 1000
// Figure 3 of Park and Sen (2008): figure 1 under one more lock, which makes it atomic.
#include <cassert>
#include <mutex>
#include <thread>

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

int main() {
  Account account;
  std::mutex outer;
  auto spend = [&] {
    std::lock_guard<std::mutex> guard(outer);
    if (account.balance() >= 70) account.withdraw(70);
  };
  std::thread first(spend);
  std::thread second(spend);
  first.join();
  second.join();
}
