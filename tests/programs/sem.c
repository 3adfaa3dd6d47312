// expect: passed
// Unnamed semaphores: counting, EAGAIN, ETIMEDOUT, EOVERFLOW, EINVAL, a pool of two.
#include <limits.h>
#include <semaphore.h>

#include "check.h"

static sem_t pool, empty;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, most;

static void* use_pool(void* argument) {
  CHECK_EQ(sem_wait(&pool), 0);
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  if (++inside > most) most = inside;
  CHECK(inside <= 2);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  sched_yield();
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  --inside;
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  CHECK_EQ(sem_post(&pool), 0);
  return argument;
}

static void* post(void* argument) {
  CHECK_EQ(sem_post(argument), 0);
  return NULL;
}

int main(void) {
  CHECK_EQ(sem_init(&pool, 0, 2), 0);
  CHECK_EQ(sem_init(&empty, 0, 0), 0);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(use_pool, NULL);
  for (int i = 0; i < 4; ++i) join(threads[i]);

  int value = -1;
  CHECK_EQ(sem_getvalue(&pool, &value), 0);
  CHECK_EQ(value, 2);
  CHECK_EQ(sem_trywait(&pool), 0);
  CHECK_EQ(sem_trywait(&pool), 0);
  CHECK_ERRNO(sem_trywait(&pool), EAGAIN);

  struct timespec soon = deadline_on(CLOCK_REALTIME, 20);
  CHECK_ERRNO(sem_timedwait(&empty, &soon), ETIMEDOUT);
  CHECK(ms_between(soon, time_on(CLOCK_REALTIME)) >= 0);
  soon = deadline_on(CLOCK_MONOTONIC, 20);
  CHECK_ERRNO(sem_clockwait(&empty, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
  struct timespec bad = {0, 2000000000};
  CHECK_ERRNO(sem_timedwait(&empty, &bad), EINVAL);
  CHECK_ERRNO(sem_clockwait(&empty, CLOCK_THREAD_CPUTIME_ID, &soon), EINVAL);

  pthread_t poster = start(post, &empty);
  struct timespec later = deadline_on(CLOCK_REALTIME, 60000);
  CHECK_EQ(sem_timedwait(&empty, &later), 0);
  join(poster);
  poster = start(post, &empty);
  later = deadline_on(CLOCK_MONOTONIC, 60000);
  CHECK_EQ(sem_clockwait(&empty, CLOCK_MONOTONIC, &later), 0);
  join(poster);

  CHECK_ERRNO(sem_init(&empty, 0, (unsigned)INT_MAX + 1u), EINVAL);
  CHECK_EQ(sem_destroy(&empty), 0);
  CHECK_EQ(sem_init(&empty, 0, INT_MAX), 0);
  CHECK_ERRNO(sem_post(&empty), EOVERFLOW);
  CHECK_EQ(sem_destroy(&empty), 0);
  CHECK_EQ(sem_destroy(&pool), 0);
  return 0;
}
