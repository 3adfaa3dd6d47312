// The fixed twin of account.cpp: one lock covers the check and the act.
#include <cassert>
#include <functional>
#include <mutex>
#include <thread>

class Account {
 public:
  bool withdraw_if_covered(int amount) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (balance_ < amount) return false;
    balance_ -= amount;
    assert(balance_ >= 0);
    return true;
  }

 private:
  std::mutex mutex_;
  int balance_ = 100;
};

void spend(Account& account) { account.withdraw_if_covered(70); }

int main() {
  Account account;
  std::thread first(spend, std::ref(account));
  std::thread second(spend, std::ref(account));
  first.join();
  second.join();
}
