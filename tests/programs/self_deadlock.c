// expect: deadlock
// seeds: 20
// native: no
// cycle: 1
// One thread locks a normal mutex twice.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* body(void* argument) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);  // fails here
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
  return 0;
}
