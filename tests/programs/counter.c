// expect: passed
// The time-stamp counter never goes backwards, moves with the clocks, and a thread that waits for
// it keeps no other from moving: a deadline, a number of reads that depends on the schedule, a loop
// that does nothing else.
#include <signal.h>
#include <x86intrin.h>

#include "check.h"

static volatile int done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

static unsigned long long ns_on_clock(void) {
  struct timespec t = time_on(CLOCK_MONOTONIC);
  return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

// Until a deadline, 200 us of a counter that moves once in a nanosecond.
static void* poll(void* argument) {
  unsigned long long deadline = __rdtsc() + 200000;
  while (__rdtsc() < deadline) {
    CHECK_EQ(pthread_mutex_lock(&mutex), 0);
    ++rounds;
    CHECK_EQ(pthread_mutex_unlock(&mutex), 0);
    usleep(10);
  }
  return argument;
}

// For others, and for time to pass, with all signals blocked as in the threads of many a library.
static void* spin(void* argument) {
  sigset_t all;
  sigfillset(&all);
  CHECK_EQ(pthread_sigmask(SIG_BLOCK, &all, NULL), 0);
  unsigned cpu;
  unsigned long long last = __rdtscp(&cpu);
  while (!done) {
    unsigned long long now = __rdtscp(&cpu);
    CHECK(now >= last);
    last = now;
  }
  unsigned long long begin = __rdtsc();
  while (__rdtsc() - begin < 20000000) {
  }
  return argument;
}

int main(void) {
  pthread_t threads[2] = {start(poll, NULL), start(spin, NULL)};
  unsigned long long counter = __rdtsc(), clock = ns_on_clock();
  poll(NULL);
  CHECK_EQ(usleep(2000), 0);
  done = 1;
  unsigned long long counted = __rdtsc() - counter, passed = ns_on_clock() - clock;
  // Any rate between 0.2 and 10 GHz.
  CHECK(counted > passed / 5 && counted < passed * 10);
  for (int i = 0; i < 2; ++i) join(threads[i]);
  CHECK(rounds >= 2);
  return 0;
}
