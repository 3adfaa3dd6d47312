// expect: passed|assertion
// seeds: 3000
// message: balance_ >= 0
// Figure 2 of Park and Sen (2008): as figure 1, but the second thread first does six other things,
// so that it meets the first thread only in few executions.
#include <cassert>
#include <mutex>
#include <thread>

class Account {
 public:
  int balance() {
    std::lock_guard<std::mutex> guard(mutex_);
    return balance_;
  }
  void withdraw(int amount) {
    std::lock_guard<std::mutex> guard(mutex_);
    balance_ -= amount;
    assert(balance_ >= 0);  // fails here
  }

 private:
  std::mutex mutex_;
  int balance_ = 100;
};

int main() {
  Account account;
  std::mutex unrelated[6];
  auto spend = [&account] {
    if (account.balance() >= 70) account.withdraw(70);
  };
  std::thread first(spend);
  std::thread second([&] {
    for (auto& mutex : unrelated) std::lock_guard<std::mutex> f(mutex);
    spend();
  });
  first.join();
  second.join();
}
