// expect: passed
// misuse: another thread holds
// The error-checking mutex: EDEADLK, EPERM, EBUSY.
#include "check.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void* other(void* argument) {
  CHECK_EQ(pthread_mutex_unlock(&lock), EPERM);
  CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
  return argument;
}

static void* waiter(void* argument) {
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return argument;
}

int main(void) {
  CHECK_EQ(pthread_mutex_unlock(&lock), EPERM);
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  CHECK_EQ(pthread_mutex_lock(&lock), EDEADLK);
  CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
  struct timespec soon = deadline_on(CLOCK_REALTIME, 10);
  CHECK_EQ(pthread_mutex_timedlock(&lock, &soon), EDEADLK);
  join(start(other, NULL));
  pthread_t thread = start(waiter, NULL);
  settle();
  CHECK_EQ(pthread_mutex_destroy(&lock), EBUSY);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  join(thread);
  CHECK_EQ(pthread_mutex_unlock(&lock), EPERM);

  // A condition wait without the mutex is refused.
  pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  CHECK_EQ(pthread_cond_wait(&cond, &lock), EPERM);
  CHECK_EQ(pthread_mutex_destroy(&lock), 0);
  return 0;
}
