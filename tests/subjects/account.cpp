// bug: Account::transfer|second\.amount_
// paper: 004 Table 1, account
// seen by: race, lockset, atomicity, serializability, atomic-set
// seen with functions: atomicity, serializability
//
// Deposits and withdrawals hold the account's lock. A transfer holds the lock of its own account,
// and changes the other account without that one's lock. So a deposit to the other account at the
// same time is lost.
#include <cstdlib>
#include <mutex>
#include <thread>

class Account {
 public:
  explicit Account(long amount) : amount_(amount) {}

  void deposit(long amount) {
    std::lock_guard<std::mutex> lock(mutex_);
    amount_ += amount;
  }

  bool withdraw(long amount) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (amount_ < amount) return false;
    amount_ -= amount;
    return true;
  }

  void transfer(Account& to, long amount) {
    std::lock_guard<std::mutex> lock(mutex_);
    const long theirs = to.amount_;
    amount_ -= amount;
    std::this_thread::yield();  // the teller writes the slip
    to.amount_ = theirs + amount;
  }

  long amount() {
    std::lock_guard<std::mutex> lock(mutex_);
    return amount_;
  }

 private:
  std::mutex mutex_;
  long amount_;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  Account first(1000);
  Account second(1000);
  long taken = 0;
  std::thread teller([&] {
    for (int i = 0; i < rounds; ++i) first.transfer(second, 1);
  });
  std::thread customer([&] {
    for (int i = 0; i < rounds; ++i) {
      second.deposit(2);
      if (second.withdraw(1)) ++taken;
    }
  });
  teller.join();
  customer.join();
  return first.amount() + second.amount() == 2000 + 2L * rounds - taken ? 0 : 1;
}
