// expect: passed
// The robust mutex: its owner ends, and the next thread gets EOWNERDEAD. It mends the mutex, or
// does not: then no thread can lock it again.
#include "check.h"

static pthread_mutex_t lock;

static void* die_with_it(void* argument) {
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  return argument;
}

static void* wait_for_it(void* argument) {
  CHECK_EQ(pthread_mutex_lock(&lock), EOWNERDEAD);
  CHECK_EQ(pthread_mutex_consistent(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return argument;
}

static void* hold_then_die(void* argument) {
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  settle();
  return argument;
}

static void make(void) {
  pthread_mutexattr_t attributes;
  CHECK_EQ(pthread_mutexattr_init(&attributes), 0);
  CHECK_EQ(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST), 0);
  int robust = -1;
  CHECK_EQ(pthread_mutexattr_getrobust(&attributes, &robust), 0);
  CHECK_EQ(robust, PTHREAD_MUTEX_ROBUST);
  CHECK_EQ(pthread_mutex_init(&lock, &attributes), 0);
  CHECK_EQ(pthread_mutexattr_destroy(&attributes), 0);
}

int main(void) {
  make();
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  CHECK_EQ(pthread_mutex_consistent(&lock), EINVAL);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);

  join(start(die_with_it, NULL));
  CHECK_EQ(pthread_mutex_lock(&lock), EOWNERDEAD);
  CHECK_EQ(pthread_mutex_consistent(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);

  join(start(die_with_it, NULL));
  CHECK_EQ(pthread_mutex_trylock(&lock), EOWNERDEAD);
  CHECK_EQ(pthread_mutex_consistent(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);

  // A thread waits while the owner ends.
  pthread_t owner = start(hold_then_die, NULL);
  struct timespec pause = {0, 30 * 1000000};
  nanosleep(&pause, NULL);
  pthread_t waiter = start(wait_for_it, NULL);
  join(owner);
  join(waiter);

  join(start(die_with_it, NULL));
  struct timespec later = deadline_on(CLOCK_REALTIME, 60000);
  CHECK_EQ(pthread_mutex_timedlock(&lock, &later), EOWNERDEAD);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);  // not made consistent
  CHECK_EQ(pthread_mutex_lock(&lock), ENOTRECOVERABLE);
  CHECK_EQ(pthread_mutex_trylock(&lock), ENOTRECOVERABLE);
  CHECK_EQ(pthread_mutex_destroy(&lock), 0);
  make();
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return 0;
}
