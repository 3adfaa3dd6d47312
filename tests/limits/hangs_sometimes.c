// If the second thread comes first, the program computes for ever. In about half of the executions
// it does.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;
static volatile unsigned long turns;

static void* body(void* argument) {
  pthread_mutex_lock(&lock);
  if (first == 0) first = argument != 0 ? 2 : 1;
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, body, 0);
  pthread_create(&threads[1], 0, body, &lock);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  while (first == 2) ++turns;
  return 0;
}
