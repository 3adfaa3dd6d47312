// expect: passed
// pthread_once: exactly one call, for which all threads wait. A cancelled initialiser leaves the
// control unused for the next caller.
#include "check.h"

static pthread_once_t control = PTHREAD_ONCE_INIT, cancellable = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, finished, attempts;

static void initialise(void) {
  ++calls;
  sched_yield();
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  finished = 1;
}

static void* use(void* argument) {
  CHECK_EQ(pthread_once(&control, initialise), 0);
  CHECK_EQ(calls, 1);
  CHECK_EQ(finished, 1);
  return argument;
}

static void initialise_slowly(void) {
  if (++attempts == 1) sleep(3600);
}

static void* use_cancellable(void* argument) {
  CHECK_EQ(pthread_once(&cancellable, initialise_slowly), 0);
  return argument;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(use, NULL);
  use(NULL);
  for (int i = 0; i < 4; ++i) join(threads[i]);

  pthread_t first = start(use_cancellable, NULL);
  settle();
  pthread_t second = start(use_cancellable, NULL);
  settle();
  CHECK_EQ(attempts, 1);
  CHECK_EQ(pthread_cancel(first), 0);
  CHECK(join(first) == PTHREAD_CANCELED);
  join(second);
  CHECK_EQ(attempts, 2);
  return 0;
}
