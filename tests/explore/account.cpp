// what: transfers between accounts (Account)
// broken: a transfer holds only the lock of the account that it takes from
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  std::atomic<int> amount = 100;

  void add(int what) { amount = amount + what; }
};

Account first;
Account second;

void deposit(Account& account, int amount) {
  const std::lock_guard<std::mutex> lock(account.mutex);
  account.add(amount);
}

void transfer(Account& from, Account& to, int amount) {
#ifndef BROKEN
  const std::scoped_lock lock(from.mutex, to.mutex);
#else
  const std::lock_guard<std::mutex> lock(from.mutex);
#endif
  from.add(-amount);
  to.add(amount);
}

int main() {
  std::thread teller([] { transfer(first, second, 10); });
  std::thread customer([] { deposit(second, 5); });
  teller.join();
  customer.join();
  assert(first.amount + second.amount == 205);
}
