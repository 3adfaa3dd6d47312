// Mutual exclusion after Dekker, over plain variables that race. With WRONG_TURN the one who is to
// give way mistakes whose turn it is: if both want to enter, neither does, and both look at the
// same two variables for ever.
#include <pthread.h>
#include <sched.h>

volatile int wants[2];
volatile int turn;
int inside;

void* body(void* argument) {
  const int me = argument != nullptr ? 1 : 0;
  const int other = 1 - me;
  for (int i = 0; i < 3; ++i) {
    wants[me] = 1;
    while (wants[other] != 0) {
#ifdef WRONG_TURN
      if (turn == me + 2) {
#else
      if (turn != me) {
#endif
        wants[me] = 0;
        while (turn != me) sched_yield();
        wants[me] = 1;
      }
    }
    ++inside;
    turn = other;
    wants[me] = 0;
  }
  return nullptr;
}

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, body, nullptr);
  pthread_create(&threads[1], nullptr, body, &threads[0]);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return inside == 6 ? 0 : 1;
}
