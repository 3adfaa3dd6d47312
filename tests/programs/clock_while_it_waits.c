// expect: passed
// seeds: 3
// Both threads yield until 30 ms has passed. Nothing of theirs changes meanwhile, but the time
// does.
#include <pthread.h>
#include <sched.h>
#include <time.h>

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 300000000 + time.tv_nsec;
}

static void* body(void* argument) {
  const long end = *(const long*)argument;
  while (now() < end) sched_yield();
  return argument;
}

int main(void) {
  pthread_t threads[2];
  long end = now() + 30000000;
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, body, &end);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
