// A ticket lock: an addition takes a ticket, a volatile counter says whose turn it is. With BUG,
// nothing orders the data before the next turn.
#include <pthread.h>
#include <sched.h>
#include <cassert>
#include <cstddef>

#include "assembly.h"

static int next, turn;
static int balance;

static void* deposit(void* unused) {
  for (int i = 0; i < 2; ++i) {
    int ticket = fetch_add(&next, 1);
    while (LOAD(turn) != ticket) sched_yield();
    balance += 10;
#ifdef BUG
    STORE(turn, ticket + 1);
#else
    fetch_add(&turn, 1);
#endif
  }
  return unused;
}

int main() {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], nullptr, deposit, nullptr);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], nullptr);
  assert(balance == 40);
}
