// expect: passed
// Timed condition waits on both clocks, with and without time-out.
#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, monotonic;
static int flag;

static void* set_flag(void* argument) {
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  flag = 1;
  CHECK_EQ(pthread_cond_signal(argument), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return NULL;
}

static void times_out(pthread_cond_t* on, clockid_t clock, int explicit_clock) {
  struct timespec soon = deadline_on(clock, 20);
  int result;
  do {
    result = explicit_clock ? pthread_cond_clockwait(on, &lock, clock, &soon)
                            : pthread_cond_timedwait(on, &lock, &soon);
  } while (result == 0);  // a wake-up for no reason is allowed
  CHECK_EQ(result, ETIMEDOUT);
  CHECK(ms_between(soon, time_on(clock)) >= 0);
}

static void is_signalled(pthread_cond_t* on, clockid_t clock, int explicit_clock) {
  struct timespec later = deadline_on(clock, 60 * 1000);
  flag = 0;
  pthread_t thread = start(set_flag, on);
  while (!flag) {
    CHECK_EQ(explicit_clock ? pthread_cond_clockwait(on, &lock, clock, &later)
                            : pthread_cond_timedwait(on, &lock, &later),
             0);
  }
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  join(thread);
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
}

int main(void) {
  pthread_condattr_t attributes;
  CHECK_EQ(pthread_condattr_init(&attributes), 0);
  CHECK_EQ(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC), 0);
  CHECK_EQ(pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
  CHECK_EQ(pthread_cond_init(&monotonic, &attributes), 0);
  CHECK_EQ(pthread_condattr_destroy(&attributes), 0);

  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  times_out(&cond, CLOCK_REALTIME, 0);
  times_out(&monotonic, CLOCK_MONOTONIC, 0);
  times_out(&cond, CLOCK_REALTIME, 1);
  times_out(&cond, CLOCK_MONOTONIC, 1);
  times_out(&monotonic, CLOCK_REALTIME, 1);
  is_signalled(&cond, CLOCK_REALTIME, 0);
  is_signalled(&monotonic, CLOCK_MONOTONIC, 0);
  is_signalled(&cond, CLOCK_REALTIME, 1);
  is_signalled(&cond, CLOCK_MONOTONIC, 1);

  struct timespec past = add_ms(time_on(CLOCK_REALTIME), -1000);
  CHECK_EQ(pthread_cond_timedwait(&cond, &lock, &past), ETIMEDOUT);
  struct timespec bad = {time(NULL) + 5, 1000000000};
  CHECK_EQ(pthread_cond_timedwait(&cond, &lock, &bad), EINVAL);
  CHECK_EQ(pthread_cond_clockwait(&cond, &lock, CLOCK_THREAD_CPUTIME_ID, &past), EINVAL);
  // Whatever the result, this thread holds the mutex.
  CHECK_EQ(pthread_mutex_trylock(&lock), EBUSY);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return 0;
}
