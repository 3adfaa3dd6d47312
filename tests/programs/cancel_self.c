// expect: passed
// A thread cancels itself; another is cancelled before it reaches its first cancellation point.
#include "check.h"

static int reached;

static void* cancel_self(void* argument) {
  CHECK_EQ(pthread_cancel(pthread_self()), 0);
  reached = 1;
  pthread_testcancel();
  CHECK(0);
  return argument;
}

static void* wait_for_it(void* argument) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&lock);
  for (;;) pthread_cond_wait(&cond, &lock);
  return argument;
}

int main(void) {
  CHECK(join(start(cancel_self, NULL)) == PTHREAD_CANCELED);
  CHECK_EQ(reached, 1);
  pthread_t thread = start(wait_for_it, NULL);
  CHECK_EQ(pthread_cancel(thread), 0);
  CHECK(join(thread) == PTHREAD_CANCELED);
  return 0;
}
