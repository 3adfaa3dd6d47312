// expect: passed
// main() returns while other threads wait and work: the process ends at once, with status 0.
#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void* wait_for_ever(void* argument) {
  pthread_mutex_lock(&lock);
  for (;;) pthread_cond_wait(&never, &lock);
  return argument;
}

static void* work_for_ever(void* argument) {
  for (;;) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

int main(void) {
  start(wait_for_ever, NULL);
  start(work_for_ever, NULL);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
