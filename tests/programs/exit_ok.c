// expect: passed
// seeds: 20
// native: no
// options: --ok-exit 4
// A program for which the status 4 is fine.
#include <pthread.h>
#include <stddef.h>

static void* body(void* argument) { return argument; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
  return 4;
}
