// expect: passed
// Read-write locks: many readers or one writer; EBUSY, EDEADLK, ETIMEDOUT, EINVAL.
#include "check.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic int readers, writers;
static int value;
static pthread_barrier_t both_read;

static void* read_together(void* argument) {
  CHECK_EQ(pthread_rwlock_rdlock(&lock), 0);
  pthread_barrier_wait(&both_read);  // returns only if two threads can read at a time
  CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
  return argument;
}

static void* reader(void* argument) {
  for (int i = 0; i < 3; ++i) {
    CHECK_EQ(pthread_rwlock_rdlock(&lock), 0);
    ++readers;
    CHECK_EQ(writers, 0);
    int before = value;
    sched_yield();
    CHECK_EQ(value, before);
    --readers;
    CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
  }
  return argument;
}

static void* writer(void* argument) {
  for (int i = 0; i < 3; ++i) {
    CHECK_EQ(pthread_rwlock_wrlock(&lock), 0);
    CHECK_EQ(writers++, 0);
    CHECK_EQ(readers, 0);
    ++value;
    sched_yield();
    --writers;
    CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
  }
  return argument;
}

static void* while_written(void* argument) {
  CHECK_EQ(pthread_rwlock_tryrdlock(&lock), EBUSY);
  CHECK_EQ(pthread_rwlock_trywrlock(&lock), EBUSY);
  struct timespec soon = deadline_on(CLOCK_REALTIME, 10);
  CHECK_EQ(pthread_rwlock_timedrdlock(&lock, &soon), ETIMEDOUT);
  soon = deadline_on(CLOCK_REALTIME, 10);
  CHECK_EQ(pthread_rwlock_timedwrlock(&lock, &soon), ETIMEDOUT);
  soon = deadline_on(CLOCK_MONOTONIC, 10);
  CHECK_EQ(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
  soon = deadline_on(CLOCK_MONOTONIC, 10);
  CHECK_EQ(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
  CHECK(ms_between(soon, time_on(CLOCK_MONOTONIC)) >= 0);
  CHECK_EQ(pthread_rwlock_clockwrlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &soon), EINVAL);
  struct timespec bad = {0, -1};
  CHECK_EQ(pthread_rwlock_timedrdlock(&lock, &bad), EINVAL);
  return argument;
}

static void* while_read(void* argument) {
  CHECK_EQ(pthread_rwlock_tryrdlock(&lock), 0);
  CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
  CHECK_EQ(pthread_rwlock_trywrlock(&lock), EBUSY);
  struct timespec soon = deadline_on(CLOCK_REALTIME, 10);
  CHECK_EQ(pthread_rwlock_timedwrlock(&lock, &soon), ETIMEDOUT);
  struct timespec later = deadline_on(CLOCK_REALTIME, 60000);
  CHECK_EQ(pthread_rwlock_timedrdlock(&lock, &later), 0);
  CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
  return argument;
}

static void* write_in_time(void* argument) {
  struct timespec later = deadline_on(CLOCK_MONOTONIC, 60000);
  CHECK_EQ(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &later), 0);
  CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
  return argument;
}

int main(void) {
  CHECK_EQ(pthread_barrier_init(&both_read, NULL, 2), 0);
  pthread_t threads[4] = {start(read_together, NULL), start(read_together, NULL)};
  for (int i = 0; i < 2; ++i) join(threads[i]);

  threads[0] = start(reader, NULL);
  threads[1] = start(writer, NULL);
  threads[2] = start(reader, NULL);
  threads[3] = start(writer, NULL);
  for (int i = 0; i < 4; ++i) join(threads[i]);
  CHECK_EQ(value, 6);

  CHECK_EQ(pthread_rwlock_wrlock(&lock), 0);
  CHECK_EQ(pthread_rwlock_wrlock(&lock), EDEADLK);
  CHECK_EQ(pthread_rwlock_rdlock(&lock), EDEADLK);
  CHECK_EQ(pthread_rwlock_tryrdlock(&lock), EBUSY);
  join(start(while_written, NULL));
  CHECK_EQ(pthread_rwlock_unlock(&lock), 0);

  CHECK_EQ(pthread_rwlock_rdlock(&lock), 0);
  CHECK_EQ(pthread_rwlock_rdlock(&lock), 0);
  join(start(while_read, NULL));
  pthread_t waiter = start(write_in_time, NULL);
  settle();
  CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
  CHECK_EQ(pthread_rwlock_unlock(&lock), 0);
  join(waiter);
  CHECK_EQ(pthread_rwlock_destroy(&lock), 0);
  return 0;
}
