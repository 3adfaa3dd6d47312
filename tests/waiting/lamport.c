// Mutual exclusion after Lamport's bakery, over atomics of C11 that are polled without giving way.
// Correct.
#include <pthread.h>
#include <stdatomic.h>

enum { kThreads = 2, kRounds = 3 };

static atomic_int choosing[kThreads];
static atomic_int ticket[kThreads];
static int inside;

static void* body(void* argument) {
  const int me = (int)(long)argument;
  for (int i = 0; i < kRounds; ++i) {
    choosing[me] = 1;
    int most = 0;
    for (int j = 0; j < kThreads; ++j)
      if (ticket[j] > most) most = ticket[j];
    ticket[me] = most + 1;
    choosing[me] = 0;
    for (int j = 0; j < kThreads; ++j) {
      while (choosing[j]) {
      }
      while (ticket[j] != 0 && (ticket[j] < ticket[me] || (ticket[j] == ticket[me] && j < me))) {
      }
    }
    ++inside;
    ticket[me] = 0;
  }
  return 0;
}

int main(void) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], 0, body, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
  return inside == kThreads * kRounds ? 0 : 1;
}
