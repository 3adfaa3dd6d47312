// Clerks move money between two accounts, an auditor adds them up. Every transfer used to hold both
// locks. Since the change (transfer.patch) it holds one after the other, and the auditor can miss
// what is on its way.
#include <cassert>
#include <mutex>
#include <thread>

class Gate {
 public:
  void pass() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++passed_;
  }

 private:
  std::mutex mutex_;
  int passed_ = 0;
};

class Bank {
 public:
  void transfer(int amount) {
    {
      const std::lock_guard<std::mutex> lock(first_mutex_);
      first_ -= amount;
    }
    const std::lock_guard<std::mutex> lock(second_mutex_);
    second_ += amount;
  }

  int total() {
    const std::scoped_lock both(first_mutex_, second_mutex_);
    return first_ + second_;
  }

 private:
  std::mutex first_mutex_;
  std::mutex second_mutex_;
  int first_ = 100;
  int second_ = 100;
};

Bank bank;
Gate gate;

void clerk() {
  gate.pass();
  bank.transfer(10);
  gate.pass();
}

void auditor() {
  gate.pass();
  assert(bank.total() == 200);
  gate.pass();
}

int main() {
  std::thread one(clerk);
  std::thread two(auditor);
  one.join();
  two.join();
  assert(bank.total() == 200);
}
