// expect: deadlock
// native: no
// Three threads join each other, in a circle.
#include "check.h"

static pthread_t threads[3];
static pthread_barrier_t all_known;

static void* join_next(void* argument) {
  pthread_barrier_wait(&all_known);
  pthread_join(threads[((long)argument + 1) % 3], NULL);
  return NULL;
}

int main(void) {
  CHECK_EQ(pthread_barrier_init(&all_known, NULL, 4), 0);
  for (long i = 0; i < 3; ++i) threads[i] = start(join_next, (void*)i);
  pthread_barrier_wait(&all_known);
  settle();
  pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t nobody = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&never);
  pthread_cond_wait(&nobody, &never);
  return 0;
}
