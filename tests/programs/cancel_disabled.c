// expect: passed
// Cancellation stays pending while it is disabled, and a mutex lock is no cancellation point.
#include <semaphore.h>

#include "check.h"

static sem_t ready, go;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int after_sleep, after_lock;

static void* stubborn(void* argument) {
  int old;
  CHECK_EQ(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old), 0);
  CHECK_EQ(old, PTHREAD_CANCEL_ENABLE);
  CHECK_EQ(pthread_setcancelstate(12345, &old), EINVAL);
  CHECK_EQ(sem_post(&ready), 0);
  CHECK_EQ(sem_wait(&go), 0);
  pthread_testcancel();
  usleep(1000);
  after_sleep = 1;
  CHECK_EQ(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old), 0);
  CHECK_EQ(old, PTHREAD_CANCEL_DISABLE);
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  after_lock = 1;
  pthread_testcancel();
  CHECK(0);
  return argument;
}

static void* quick(void* argument) { return argument; }

int main(void) {
  CHECK_EQ(sem_init(&ready, 0, 0), 0);
  CHECK_EQ(sem_init(&go, 0, 0), 0);
  pthread_t thread = start(stubborn, NULL);
  CHECK_EQ(sem_wait(&ready), 0);
  CHECK_EQ(pthread_cancel(thread), 0);
  CHECK_EQ(sem_post(&go), 0);
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQ(after_sleep, 1);
  CHECK_EQ(after_lock, 1);

  int old;
  CHECK_EQ(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old), 0);
  CHECK_EQ(old, PTHREAD_CANCEL_DEFERRED);

  // Cancelling a thread that has ended and waits to be joined does nothing.
  thread = start(quick, (void*)5);
  settle();
  CHECK_EQ(pthread_cancel(thread), 0);
  CHECK_EQ((long)join(thread), 5);
  return 0;
}
