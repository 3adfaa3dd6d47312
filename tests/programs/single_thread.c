// expect: passed
// seeds: 5
// args: one "two words"
// A program that never starts a second thread, with arguments.
#include <pthread.h>

#include "check.h"

int main(int count, char** arguments) {
  CHECK_EQ(count, 3);
  CHECK(strcmp(arguments[1], "one") == 0);
  CHECK(strcmp(arguments[2], "two words") == 0);
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return 0;
}
