// expect: passed
// Barriers: no thread passes early, one serial thread each round, reuse, EINVAL.
#include "check.h"

enum { kThreads = 4, kRounds = 3 };
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int arrived[kRounds], serial[kRounds];

static void* work(void* argument) {
  for (int round = 0; round < kRounds; ++round) {
    pthread_mutex_lock(&lock);
    ++arrived[round];
    pthread_mutex_unlock(&lock);
    int result = pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&lock);
    CHECK_EQ(arrived[round], kThreads);
    if (result == PTHREAD_BARRIER_SERIAL_THREAD) {
      ++serial[round];
    } else {
      CHECK_EQ(result, 0);
    }
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

int main(void) {
  CHECK_EQ(pthread_barrier_init(&barrier, NULL, 0), EINVAL);
  CHECK_EQ(pthread_barrier_init(&barrier, NULL, kThreads), 0);
  pthread_t threads[kThreads - 1];
  for (int i = 0; i < kThreads - 1; ++i) threads[i] = start(work, NULL);
  work(NULL);
  for (int i = 0; i < kThreads - 1; ++i) join(threads[i]);
  for (int round = 0; round < kRounds; ++round) CHECK_EQ(serial[round], 1);
  // One thread may destroy the barrier as soon as it has passed: destroy waits for the others.
  CHECK_EQ(pthread_barrier_destroy(&barrier), 0);

  CHECK_EQ(pthread_barrier_init(&barrier, NULL, 1), 0);
  CHECK_EQ(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
  CHECK_EQ(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
  CHECK_EQ(pthread_barrier_destroy(&barrier), 0);
  return 0;
}
