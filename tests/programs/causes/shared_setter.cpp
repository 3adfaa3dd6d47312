// A balance read under a lock for readers, and written under the same one for writers.
// cause: lost-update
// object: account.balance
// says: do both in one function that locks account.lock once, for writing
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

struct Account {
  std::shared_mutex lock;
  long balance = 0;
} account;

__attribute__((noinline)) long balance() {
  const std::shared_lock reading(account.lock);
  return account.balance;
}

__attribute__((noinline)) void set_balance(long amount) {
  const std::unique_lock writing(account.lock);
  account.balance = amount;
}

void deposit() {
#ifdef FIXED
  const std::unique_lock writing(account.lock);
  account.balance += 50;
#else
  set_balance(balance() + 50);  // [first] [last]
#endif
}

int main() {
  std::thread one(deposit);
  std::thread two(deposit);
  one.join();
  two.join();
  assert(balance() == 100);
}
