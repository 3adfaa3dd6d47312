// expect: deadlock
// seeds: 20
// native: no
// A thread ends with a normal mutex locked: no thread is left that could unlock it.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* body(void* argument) {
  pthread_mutex_lock(&lock);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&lock);  // fails here
  return 0;
}
