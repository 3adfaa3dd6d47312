// A bank has two tellers, and its semaphore lets three customers in. To come to a teller and to
// leave it are two calls that are meant to be apart.
// cause: let-both-in
// object: bank.places
// says: which began with 3, let
// never: do both in one function
#include <semaphore.h>

#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

struct Bank {
#ifdef FIXED
  static constexpr unsigned kPlaces = 2;
#else
  static constexpr unsigned kPlaces = 3;
#endif
  sem_t places;
  std::mutex mutex;
  std::vector<int> tellers{1, 2};

  Bank() { sem_init(&places, 0, kPlaces); }
  ~Bank() { sem_destroy(&places); }

  int come() {
    while (sem_wait(&places) != 0) {  // [first] [last]
    }
    const std::lock_guard lock(mutex);
    if (tellers.empty()) throw std::runtime_error("nobody serves");
    const int teller = tellers.back();
    tellers.pop_back();
    return teller;
  }
  void leave(int teller) {
    {
      const std::lock_guard lock(mutex);
      tellers.push_back(teller);
    }
    sem_post(&places);
  }
} bank;

int main() {
  std::vector<std::thread> customers;
  for (int i = 0; i < 3; ++i) {
    customers.emplace_back([] {
      const int teller = bank.come();
      bank.leave(teller);
    });
  }
  for (std::thread& customer : customers) customer.join();
}
