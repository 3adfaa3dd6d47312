// The account of Park and Sen (2008), figures 1 to 4. spend() is their atomic block: annotated for
// programs built with raddle-c++, and a function that takes the lock twice for all others.
#ifndef TESTS_FIGURES_ACCOUNT_H
#define TESTS_FIGURES_ACCOUNT_H

#include <cassert>
#include <mutex>
#include <thread>

#include "raddle/annotations.hpp"

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

__attribute__((noinline)) RADDLE_ATOMIC inline bool spend(Account& account) {
  if (account.balance() < 70) return false;
  account.withdraw(70);
  return true;
}

// Runs two threads. It uses their results, so that spend() is called and not jumped to.
template <class First, class Second>
void run_both(First first, Second second) {
  bool spent[2] = {false, false};
  std::thread one([&] { spent[0] = first(); });
  std::thread two([&] { spent[1] = second(); });
  one.join();
  two.join();
  assert(spent[0] || spent[1]);
}

#endif
