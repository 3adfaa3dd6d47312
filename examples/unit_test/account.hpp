// An account for several threads. WITH_BUG checks the balance in one critical section and withdraws
// in the next: no data race, but another thread may withdraw in between.
#pragma once

#include <mutex>

class Account {
 public:
  explicit Account(int balance) : balance_(balance) {}

  bool withdraw(int amount) {
#ifdef WITH_BUG
    if (balance() < amount) return false;
    std::lock_guard lock(mutex_);
#else
    std::lock_guard lock(mutex_);
    if (balance_ < amount) return false;
#endif
    balance_ -= amount;
    return true;
  }

  int balance() const {
    std::lock_guard lock(mutex_);
    return balance_;
  }

 private:
  mutable std::mutex mutex_;
  int balance_;
};
