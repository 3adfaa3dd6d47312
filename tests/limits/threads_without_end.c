// Makes threads that wait for ever, until it is told that there are enough.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void* body(void* argument) {
  pthread_mutex_lock(&lock);
  for (;;) pthread_cond_wait(&never, &lock);
  return argument;
}

int main(void) {
  pthread_t thread;
  while (pthread_create(&thread, 0, body, 0) == 0) {
  }
  return 7;
}
