// expect: passed
// Every way to sleep, relative and absolute, with its errors; and yields.
#include "check.h"

static void slept(struct timespec before, long ms) {
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= ms);
}

static void* all_kinds(void* argument) {
  struct timespec pause = {0, 15 * 1000000};
  struct timespec before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(nanosleep(&pause, NULL), 0);
  slept(before, 15);
  before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL), 0);
  slept(before, 15);
  before = time_on(CLOCK_MONOTONIC);
  struct timespec until = add_ms(before, 15);
  CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL), 0);
  slept(before, 15);
  until = deadline_on(CLOCK_REALTIME, 15);
  CHECK_EQ(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL), 0);
  CHECK(ms_between(until, time_on(CLOCK_REALTIME)) >= 0);
  before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(usleep(15000), 0);
  slept(before, 15);
  before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(sleep(1), 0);
  slept(before, 1000);

  struct timespec bad = {0, 1000000000}, negative = {-1, 0}, past = {1, 0};
  CHECK_ERRNO(nanosleep(&bad, NULL), EINVAL);
  CHECK_ERRNO(nanosleep(&negative, NULL), EINVAL);
  CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL), EINVAL);
  CHECK_EQ(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &pause, NULL), EINVAL);
  CHECK_EQ(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &past, NULL), 0);
  CHECK_EQ(sched_yield(), 0);
  return argument;
}

int main(void) {
  pthread_t thread = start(all_kinds, NULL);
  all_kinds(NULL);
  join(thread);
  return 0;
}
