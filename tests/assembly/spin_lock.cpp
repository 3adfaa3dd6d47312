// A lock that is exchanged. With BUG, one thread changes the data behind the lock.
#include <pthread.h>
#include <sched.h>
#include <cassert>
#include <cstddef>

#include "assembly.h"

static long taken;
static int balance;

static void* deposit(void* unused) {
  for (int i = 0; i < 2; ++i) {
    while (exchange(&taken, 1) != 0) sched_yield();
    balance += 10;
    exchange(&taken, 0);
#ifdef BUG
    balance -= 1;
#endif
  }
  return unused;
}

int main() {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], nullptr, deposit, nullptr);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], nullptr);
#ifndef BUG
  assert(balance == 40);
#endif
}
