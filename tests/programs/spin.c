// expect: passed
// Spinlocks: exclusion and EBUSY.
#include "check.h"

static pthread_spinlock_t lock;
static int inside, total;

static void* work(void* argument) {
  for (int i = 0; i < 4; ++i) {
    CHECK_EQ(pthread_spin_lock(&lock), 0);
    CHECK_EQ(inside++, 0);
    sched_yield();
    CHECK_EQ(--inside, 0);
    ++total;
    CHECK_EQ(pthread_spin_unlock(&lock), 0);
  }
  return argument;
}

static void* try_it(void* argument) {
  CHECK_EQ(pthread_spin_trylock(&lock), EBUSY);
  return argument;
}

int main(void) {
  CHECK_EQ(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE), 0);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(work, NULL);
  for (int i = 0; i < 3; ++i) join(threads[i]);
  CHECK_EQ(total, 12);
  CHECK_EQ(pthread_spin_trylock(&lock), 0);
  join(start(try_it, NULL));
  CHECK_EQ(pthread_spin_unlock(&lock), 0);
  CHECK_EQ(pthread_spin_destroy(&lock), 0);
  return 0;
}
