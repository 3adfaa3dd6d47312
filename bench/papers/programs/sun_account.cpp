// bug: Account::balance_|Account::(deposit|withdraw)
// An account that is updated without a lock (Sun's Account; Hammer et al. 2008, Table 1): two
// threads read the same balance, and one update is lost. FIXED: with a lock.
#include <mutex>
#include <thread>

class Account {
 public:
  void deposit(int amount) {
#ifdef FIXED
    const std::lock_guard<std::mutex> lock(mutex_);
#endif
    const int before = balance_;
    std::this_thread::yield();
    balance_ = before + amount;
  }
  void withdraw(int amount) { deposit(-amount); }
  int balance() {
#ifdef FIXED
    const std::lock_guard<std::mutex> lock(mutex_);
#endif
    return balance_;
  }

 private:
  std::mutex mutex_;
  int balance_ = 100;
};

int main() {
  Account account;
  std::thread payer([&] {
    for (int i = 0; i < 2; ++i) account.deposit(10);
  });
  std::thread spender([&] {
    for (int i = 0; i < 2; ++i) account.withdraw(5);
  });
  payer.join();
  spender.join();
  return account.balance() == 110 ? 0 : 1;
}
