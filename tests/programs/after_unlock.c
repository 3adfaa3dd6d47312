// expect: passed | assertion
// options: --decide all
// seeds: 1000
// message: published
// A write that belongs under the lock comes after it. Only a switch between the unlock and the
// thread's next operation shows that. About 1 of 20 executions has such a switch: that none of 1000
// has it is less likely than 1e-20.
#include <assert.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready, published;

static void* producer(void* argument) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  published = 1;
  return argument;
}

static void* consumer(void* argument) {
  pthread_mutex_lock(&mutex);
  int is_ready = ready;
  pthread_mutex_unlock(&mutex);
  assert(!is_ready || published);  // fails here
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, producer, NULL);
  pthread_create(&threads[1], NULL, consumer, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
