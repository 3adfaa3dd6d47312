// expect: passed
// Priority inheritance, process-shared and adaptive mutexes are mutexes.
#include "check.h"

static pthread_mutex_t locks[3];
static int inside[3];

static void* work(void* argument) {
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 3; ++i) {
      CHECK_EQ(pthread_mutex_lock(&locks[i]), 0);
      CHECK_EQ(inside[i]++, 0);
      sched_yield();
      CHECK_EQ(--inside[i], 0);
      CHECK_EQ(pthread_mutex_unlock(&locks[i]), 0);
    }
  }
  return argument;
}

int main(void) {
  pthread_mutexattr_t attributes;
  CHECK_EQ(pthread_mutexattr_init(&attributes), 0);
  CHECK_EQ(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT), 0);
  CHECK_EQ(pthread_mutex_init(&locks[0], &attributes), 0);
  CHECK_EQ(pthread_mutexattr_init(&attributes), 0);
  CHECK_EQ(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED), 0);
  CHECK_EQ(pthread_mutex_init(&locks[1], &attributes), 0);
  CHECK_EQ(pthread_mutexattr_init(&attributes), 0);
  CHECK_EQ(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP), 0);
  CHECK_EQ(pthread_mutex_init(&locks[2], &attributes), 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) threads[i] = start(work, NULL);
  work(NULL);
  for (int i = 0; i < 2; ++i) join(threads[i]);
  for (int i = 0; i < 3; ++i) CHECK_EQ(pthread_mutex_destroy(&locks[i]), 0);
  return 0;
}
