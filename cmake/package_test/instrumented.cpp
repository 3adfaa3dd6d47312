#include <raddle/annotations.hpp>

struct Account {
  int savings = 1;
  int checking = 2;
  void move(int amount) {
    savings -= amount;
    checking += amount;
  }
};

int main() {
  raddle::atomic_block block("move");
  Account* volatile account = new Account;
  account->move(1);
  int left = account->savings;
  delete account;
  return left;
}
