// expect: passed
// Sleepers wake in the order of their deadlines, not of their beginnings.
#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[3], woken;

static void* sleeper(void* argument) {
  long number = (long)argument;
  usleep((useconds_t)(number * 150000));
  pthread_mutex_lock(&lock);
  order[woken++] = (int)number;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) threads[i] = start(sleeper, (void*)(3 - i));
  for (int i = 0; i < 3; ++i) join(threads[i]);
  for (int i = 0; i < 3; ++i) CHECK_EQ(order[i], i + 1);
  return 0;
}
