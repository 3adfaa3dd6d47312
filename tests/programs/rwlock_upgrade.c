// expect: deadlock
// native: no
// A reader asks to write while it still reads: it waits for itself.
#include "check.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* upgrade(void* argument) {
  CHECK_EQ(pthread_rwlock_rdlock(&lock), 0);
  CHECK_EQ(pthread_rwlock_wrlock(&lock), 0);
  return argument;
}

int main(void) {
  join(start(upgrade, NULL));
  return 0;
}
