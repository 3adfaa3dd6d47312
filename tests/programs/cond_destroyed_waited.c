// expect: deadlock
// seeds: 20
// native: no
// misuse: destroy
// A thread destroys a condition variable while another waits for it. glibc's destroy waits for the
// waiter, and the waiter waits for ever.
#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void* wait_for_it(void* argument) {
  pthread_mutex_lock(&lock);
  for (;;) pthread_cond_wait(&cond, &lock);
  return argument;
}

int main(void) {
  pthread_t thread = start(wait_for_it, NULL);
  settle();
  pthread_cond_destroy(&cond);
  join(thread);
  return 0;
}
