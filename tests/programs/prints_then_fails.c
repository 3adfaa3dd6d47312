// expect: assertion
// seeds: 20
// native: no
// output: before the failure
// The output from before the failure is shown, although the program never flushed the buffer.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void* body(void* argument) {
  printf("before the failure\n");
  assert(argument != NULL);  // fails here
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
  return 0;
}
