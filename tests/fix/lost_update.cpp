// Two threads pay in without a lock. add() calls get() and set(), as reset() does: whoever is in
// add() enters functions that the property of the fix encloses, too.
#include <assert.h>
#include <pthread.h>

class Account {
 public:
  void add(int amount) { set(get() + amount); }
  int get() const { return balance_; }
  void set(int balance) { balance_ = balance; }

 private:
  int balance_ = 0;
};

static Account account;

static void* pay(void*) {
  account.add(1);
  return nullptr;
}

int main() {
  pthread_t threads[2];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, pay, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  assert(account.get() == 2);
}
