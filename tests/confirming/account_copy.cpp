// The account of Lai, Cheung and Chan (2010): two synchronised getters, one after the other, make a
// copy, and another thread may credit interest in between. Every access holds the account's lock,
// so there is no data race. No block that holds a lock releases it in the middle.
#include <cstdlib>
#include <mutex>
#include <thread>

class Account {
 public:
  Account(long checking, long savings) : checking_(checking), savings_(savings) {}

  // The copy may see one balance from before the interest and the other from after it.
  Account(Account& other) : checking_(other.checking()), savings_(other.savings()) {}

  void credit_interest(long percent) {
    std::lock_guard<std::mutex> lock(mutex_);
    checking_ += checking_ * percent / 100;
    savings_ += savings_ * percent / 100;
  }

  long checking() {
    std::lock_guard<std::mutex> lock(mutex_);
    return checking_;
  }

  long savings() {
    std::lock_guard<std::mutex> lock(mutex_);
    return savings_;
  }

  bool is_legal() { return checking() == savings(); }

 private:
  std::mutex mutex_;
  long checking_;
  long savings_;
};

int main(int argc, char** argv) {
  const int others = argc > 1 ? std::atoi(argv[1]) : 3;
  Account x(100, 100);
  std::mutex unrelated;
  std::thread second;
  bool consistent = true;
  std::thread first([&] {
    if (!x.is_legal()) return;
    second = std::thread([&] {
      for (int i = 0; i < others; ++i) std::lock_guard<std::mutex> other(unrelated);
      x.credit_interest(10);
    });
    Account y(x);
    for (int i = 0; i < others; ++i) std::lock_guard<std::mutex> other(unrelated);
    consistent = y.is_legal();
  });
  first.join();
  second.join();
  return consistent ? 0 : 1;
}
