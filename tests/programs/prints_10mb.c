// expect: passed
// seeds: 5
// Ten megabytes of output, from two threads, on both streams.
#include <pthread.h>
#include <stdio.h>

static void* print(void* argument) {
  FILE* to = argument;
  for (int i = 0; i < 50000; ++i) {
    fprintf(to, "line %05d: %.*s\n", i, 87,
            "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
            "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, print, stderr);
  print(stdout);
  pthread_join(thread, NULL);
  return 0;
}
