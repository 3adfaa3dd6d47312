// A bank account that is free of data races and still wrong: every method holds the lock, but the
// decision to withdraw falls between two of them. Figure 1 of Park and Sen, "Randomized active
// atomicity violation detection in concurrent programs" (2008), in C++. See account_fixed.cpp.
#include <cassert>
#include <functional>
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

void spend(Account& account) {
  if (account.balance() >= 70) {
    account.withdraw(70);  // the balance may no longer be what it was
  }
}

int main() {
  Account account;
  std::thread first(spend, std::ref(account));
  std::thread second(spend, std::ref(account));
  first.join();
  second.join();
}
