// expect: passed
// Clocks never go backwards, agree with each other, and move even if no thread sleeps.
#include <sys/time.h>

#include "check.h"

static void* watch(void* argument) {
  struct timespec monotonic = time_on(CLOCK_MONOTONIC), real = time_on(CLOCK_REALTIME);
  for (int i = 0; i < 20; ++i) {
    struct timespec m = time_on(CLOCK_MONOTONIC), r = time_on(CLOCK_REALTIME);
    CHECK(ms_between(monotonic, m) >= 0);
    CHECK(ms_between(real, r) >= 0);
    monotonic = m;
    real = r;
    sched_yield();
  }
  return argument;
}

int main(void) {
  pthread_t thread = start(watch, NULL);
  watch(NULL);
  join(thread);

  struct timespec real = time_on(CLOCK_REALTIME);
  struct timeval day;
  CHECK_EQ(gettimeofday(&day, NULL), 0);
  time_t seconds = time(NULL);
  CHECK(day.tv_sec >= real.tv_sec && day.tv_sec - real.tv_sec < 60);
  CHECK(seconds >= real.tv_sec - 1 && seconds - real.tv_sec < 60);
  struct timespec utc;
  CHECK_EQ(timespec_get(&utc, TIME_UTC), TIME_UTC);
  CHECK(ms_between(real, utc) >= 0);

  // Polling a clock is a way to wait, too.
  struct timespec end = deadline_on(CLOCK_MONOTONIC, 5);
  while (ms_between(time_on(CLOCK_MONOTONIC), end) > 0) {
  }
  return 0;
}
