// expect: passed
// native: no
// seconds: 10
// A program that sleeps for hours ends at once, and its clocks say that the hours passed.
#include "check.h"

static void* sleep_hour(void* argument) {
  struct timespec before = time_on(CLOCK_MONOTONIC);
  CHECK_EQ(sleep(3600), 0);
  long long passed = ms_between(before, time_on(CLOCK_MONOTONIC));
  CHECK(passed >= 3600 * 1000 && passed < 3700 * 1000);
  return argument;
}

int main(void) {
  time_t began = time(NULL);
  pthread_t threads[2] = {start(sleep_hour, NULL), start(sleep_hour, NULL)};
  sleep_hour(NULL);
  for (int i = 0; i < 2; ++i) join(threads[i]);
  sleep_hour(NULL);
  CHECK(time(NULL) - began >= 2 * 3600 - 1);
  return 0;
}
