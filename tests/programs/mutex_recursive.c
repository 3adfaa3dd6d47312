// expect: passed
// misuse: another thread holds
// The recursive mutex: counted, owned, EPERM for all other threads.
#include "check.h"

static pthread_mutex_t lock, fixed = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int inside;

static void* other(void* argument) {
  CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
  CHECK_EQ(pthread_mutex_unlock(&lock), EPERM);
  struct timespec soon = deadline_on(CLOCK_REALTIME, 10);
  CHECK_EQ(pthread_mutex_timedlock(&lock, &soon), ETIMEDOUT);
  return argument;
}

static void* work(void* argument) {
  for (int i = 0; i < 3; ++i) {
    CHECK_EQ(pthread_mutex_lock(&fixed), 0);
    CHECK_EQ(pthread_mutex_lock(&fixed), 0);
    CHECK_EQ(inside++, 0);
    CHECK_EQ(pthread_mutex_unlock(&fixed), 0);
    sched_yield();
    CHECK_EQ(--inside, 0);
    CHECK_EQ(pthread_mutex_unlock(&fixed), 0);
  }
  return argument;
}

int main(void) {
  pthread_mutexattr_t attributes;
  CHECK_EQ(pthread_mutexattr_init(&attributes), 0);
  CHECK_EQ(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE), 0);
  CHECK_EQ(pthread_mutex_init(&lock, &attributes), 0);

  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  CHECK_EQ(pthread_mutex_trylock(&lock), 0);
  struct timespec past = {1, 0};
  CHECK_EQ(pthread_mutex_timedlock(&lock, &past), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  join(start(other, NULL));
  CHECK_EQ(pthread_mutex_destroy(&lock), EBUSY);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), EPERM);
  CHECK_EQ(pthread_mutex_destroy(&lock), 0);

  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(work, NULL);
  for (int i = 0; i < 3; ++i) join(threads[i]);
  return 0;
}
