// Every call is locked; the check and the withdrawal are two calls.
// cause: check-then-act
// object: account.balance_
// says: balance() and withdraw() lock it themselves, so it cannot be held around the calls.
#include <cassert>
#include <mutex>
#include <thread>

class Account {
 public:
  int balance() {
    const std::lock_guard lock(mutex_);
    return balance_;
  }
  void withdraw(int amount) {
    const std::lock_guard lock(mutex_);
    balance_ -= amount;
    assert(balance_ >= 0);
  }
  void spend(int amount) {
#ifdef FIXED
    const std::lock_guard lock(mutex_);
#endif
    if (balance() >= amount) {  // [first]
      withdraw(amount);         // [last]
    }
  }

 private:
#ifdef FIXED
  std::recursive_mutex mutex_;
#else
  std::mutex mutex_;
#endif
  int balance_ = 100;
} account;

int main() {
  std::thread rent([] { account.spend(70); });
  std::thread food([] { account.spend(60); });
  rent.join();
  food.join();
}
