// expect: crash
// seeds: 20
// native: no
// message: segmentation fault
// A thread recurses until its stack ends.
#include <pthread.h>
#include <stddef.h>

static volatile int enough;

static int deeper(volatile char* above, int depth) {
  volatile char here[512];
  here[0] = above[0];
  if (enough) return depth;
  return deeper(here, depth + 1) + here[0] + depth;
}

static void* body(void* argument) {
  volatile char top[1] = {1};
  return (void*)(long)(deeper(top, 0) + (argument != NULL));
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
  return 0;
}
