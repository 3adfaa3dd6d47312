// what: transfers between accounts (Account)
// broken: a transfer holds only the lock of the account that it takes from
// near: -DDEPOSITS=5
// large: -DCUSTOMERS=4
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifndef TELLERS
#define TELLERS 1
#endif
#ifndef CUSTOMERS
#define CUSTOMERS 1
#endif
#ifndef DEPOSITS
#define DEPOSITS 1
#endif

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

void save() {
  for (int i = 0; i < DEPOSITS; ++i) deposit(second, 5);
}

int main() {
  std::thread tellers[TELLERS];
  std::thread customers[CUSTOMERS];
  for (std::thread& teller : tellers) teller = std::thread([] { transfer(first, second, 10); });
  for (std::thread& customer : customers) customer = std::thread(save);
  for (std::thread& teller : tellers) teller.join();
  for (std::thread& customer : customers) customer.join();
  assert(first.amount + second.amount == 200 + 5 * CUSTOMERS * DEPOSITS);
}
