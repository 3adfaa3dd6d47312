// expect: passed
// misuse: unlock
// A thread unlocks a normal mutex that another holds. glibc allows it; Raddle reports a misuse.
#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* unlock_it(void* argument) {
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return argument;
}

int main(void) {
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  join(start(unlock_it, NULL));
  CHECK_EQ(pthread_mutex_trylock(&lock), 0);
  return 0;
}
