// Figure 1 of Park and Sen (2008) with a POSIX semaphore for the account's lock. With the argument
// 1 the balance stays as it is between the look and the withdrawal, under a second semaphore.
#include <semaphore.h>

#include <cstdlib>
#include <thread>

#include <raddle/annotations.hpp>

sem_t account, whole;
int balance = 100;

int get_balance() {
  sem_wait(&account);
  const int value = balance;
  sem_post(&account);
  return value;
}

void withdraw(int amount) {
  sem_wait(&account);
  balance -= amount;
  if (balance < 0) std::abort();
  sem_post(&account);
}

void take(bool guarded) {
  raddle::atomic_block block("take");
  if (guarded) sem_wait(&whole);
  if (get_balance() >= 70) withdraw(70);
  if (guarded) sem_post(&whole);
}

int main(int argc, char** argv) {
  const bool guarded = argc > 1 && std::atoi(argv[1]) == 1;
  sem_init(&account, 0, 1);
  sem_init(&whole, 0, 1);
  std::thread first([&] { take(guarded); }), second([&] { take(guarded); });
  first.join();
  second.join();
}
