// The copy holds the account's lock from the first getter to the last.
#include <cstdlib>
#include <mutex>
#include <thread>

class Account {
 public:
  Account(long checking, long savings) : checking_(checking), savings_(savings) {}

  Account(Account& other) {
    std::lock_guard<std::mutex> lock(other.mutex_);
    checking_ = other.checking_;
    savings_ = other.savings_;
  }

  void credit_interest(long percent) {
    std::lock_guard<std::mutex> lock(mutex_);
    checking_ += checking_ * percent / 100;
    savings_ += savings_ * percent / 100;
  }

  bool is_legal() {
    std::lock_guard<std::mutex> lock(mutex_);
    return checking_ == savings_;
  }

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
