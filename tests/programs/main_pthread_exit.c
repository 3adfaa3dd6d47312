// expect: passed
// output: last thread done
// main() leaves with pthread_exit: the process lives until its last thread ends, with status 0.
#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int finished;

static void at_end(void) {
  CHECK_EQ(finished, 2);
  puts("last thread done");
}

static void* work(void* argument) {
  struct timespec pause = {0, 20 * 1000000};
  nanosleep(&pause, NULL);
  pthread_mutex_lock(&lock);
  ++finished;
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  atexit(at_end);
  start(work, NULL);
  start(work, NULL);
  pthread_exit(NULL);
}
