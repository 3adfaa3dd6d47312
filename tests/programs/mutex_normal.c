// expect: passed
// misuse: destroy
// The normal mutex: exclusion, trylock, timed and clock locks that time out and that do not,
// destroy.
#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, total;

static void* work(void* argument) {
  for (int i = 0; i < 5; ++i) {
    CHECK_EQ(pthread_mutex_lock(&lock), 0);
    CHECK_EQ(inside++, 0);
    sched_yield();
    CHECK_EQ(--inside, 0);
    ++total;
    CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  }
  return argument;
}

static void* try_and_time_out(void* argument) {
  CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
  struct timespec soon = deadline_on(CLOCK_REALTIME, 20);
  CHECK_EQ(pthread_mutex_timedlock(&lock, &soon), ETIMEDOUT);
  CHECK(ms_between(soon, time_on(CLOCK_REALTIME)) >= 0);
  soon = deadline_on(CLOCK_MONOTONIC, 20);
  CHECK_EQ(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
  CHECK(ms_between(soon, time_on(CLOCK_MONOTONIC)) >= 0);
  soon = deadline_on(CLOCK_REALTIME, 20);
  CHECK_EQ(pthread_mutex_clocklock(&lock, CLOCK_REALTIME, &soon), ETIMEDOUT);
  CHECK_EQ(pthread_mutex_clocklock(&lock, CLOCK_THREAD_CPUTIME_ID, &soon), EINVAL);
  struct timespec past = add_ms(time_on(CLOCK_REALTIME), -1000);
  CHECK_EQ(pthread_mutex_timedlock(&lock, &past), ETIMEDOUT);
  struct timespec bad = {0, 1000000000};
  CHECK_EQ(pthread_mutex_timedlock(&lock, &bad), EINVAL);
  return argument;
}

static void* lock_in_time(void* argument) {
  struct timespec later = deadline_on(CLOCK_REALTIME, 60000);
  CHECK_EQ(pthread_mutex_timedlock(&lock, &later), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  later = deadline_on(CLOCK_MONOTONIC, 60000);
  CHECK_EQ(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &later), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(work, NULL);
  for (int i = 0; i < 3; ++i) join(threads[i]);
  CHECK_EQ(total, 15);

  CHECK_EQ(pthread_mutex_trylock(&lock), 0);
  CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
  join(start(try_and_time_out, NULL));
  pthread_t waiter = start(lock_in_time, NULL);
  settle();
  CHECK_EQ(pthread_mutex_destroy(&lock), EBUSY);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  join(waiter);

  // An uncontended timed lock does not look at its deadline.
  struct timespec past = {1, 0};
  CHECK_EQ(pthread_mutex_timedlock(&lock, &past), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  CHECK_EQ(pthread_mutex_destroy(&lock), 0);
  CHECK_EQ(pthread_mutex_lock(&lock), EINVAL);
  CHECK_EQ(pthread_mutex_init(&lock, NULL), 0);
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return 0;
}
