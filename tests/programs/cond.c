// expect: passed
// Condition variables: signal wakes at least one, broadcast all, the mutex is held on return.
#include "check.h"

enum { kCapacity = 2, kItems = 6 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full;
static int queue[kCapacity], used, taken, sum;

static void* produce(void* argument) {
  for (int i = 1; i <= kItems; ++i) {
    CHECK_EQ(pthread_mutex_lock(&lock), 0);
    while (used == kCapacity) CHECK_EQ(pthread_cond_wait(&not_full, &lock), 0);
    queue[used++] = i;
    CHECK_EQ(pthread_cond_signal(&not_empty), 0);
    CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  }
  return argument;
}

static void* consume(void* argument) {
  for (int i = 0; i < kItems; ++i) {
    CHECK_EQ(pthread_mutex_lock(&lock), 0);
    while (used == 0) CHECK_EQ(pthread_cond_wait(&not_empty, &lock), 0);
    sum += queue[--used];
    ++taken;
    CHECK_EQ(pthread_mutex_unlock(&lock), 0);
    CHECK_EQ(pthread_cond_signal(&not_full), 0);
  }
  return argument;
}

static int waiting, released;
static pthread_cond_t all = PTHREAD_COND_INITIALIZER;

static void* wait_for_all(void* argument) {
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  ++waiting;
  while (!released) CHECK_EQ(pthread_cond_wait(&all, &lock), 0);
  --waiting;
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return argument;
}

int main(void) {
  CHECK_EQ(pthread_cond_init(&not_full, NULL), 0);
  // With no waiter, a signal does nothing and leaves nothing behind.
  CHECK_EQ(pthread_cond_signal(&not_full), 0);
  CHECK_EQ(pthread_cond_broadcast(&not_full), 0);

  pthread_t producers[2], consumers[2];
  for (int i = 0; i < 2; ++i) {
    producers[i] = start(produce, NULL);
    consumers[i] = start(consume, NULL);
  }
  for (int i = 0; i < 2; ++i) {
    join(producers[i]);
    join(consumers[i]);
  }
  CHECK_EQ(taken, 2 * kItems);
  CHECK_EQ(sum, kItems * (kItems + 1));

  pthread_t waiters[3];
  for (int i = 0; i < 3; ++i) waiters[i] = start(wait_for_all, NULL);
  settle();
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  CHECK_EQ(waiting, 3);
  released = 1;
  CHECK_EQ(pthread_cond_broadcast(&all), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  for (int i = 0; i < 3; ++i) join(waiters[i]);
  CHECK_EQ(waiting, 0);
  CHECK_EQ(pthread_cond_destroy(&all), 0);
  CHECK_EQ(pthread_cond_destroy(&not_full), 0);
  return 0;
}
