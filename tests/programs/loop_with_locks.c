// expect: inconclusive
// seeds: 2
// native: no
// options: --max-steps 20000
// Locks and unlocks for ever: no idle operation, so only the limit ends it.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* body(void* argument) {
  for (;;) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  body(NULL);
  return 0;
}
