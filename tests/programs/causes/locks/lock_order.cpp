// A transfer locks the account that it takes from first: two transfers in opposite directions meet.
// cause: lock-order
// object: current.mutex
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 100;
} savings, current;

void transfer(Account& from, Account& to, int amount) {
#ifdef FIXED
  const std::scoped_lock both(from.mutex, to.mutex);
#else
  const std::lock_guard source(from.mutex);  // [first]
  const std::lock_guard target(to.mutex);    // [last]
#endif
  from.balance -= amount;
  to.balance += amount;
}

int main() {
  std::thread salary([] { transfer(savings, current, 10); });
  std::thread rent([] { transfer(current, savings, 20); });
  salary.join();
  rent.join();
}
