// expect: deadlock
// seeds: 5
// native: no
// Two threads read from each other's pipes, and no thread writes: nothing outside the process can
// wake them either.
#include "check.h"

static int first[2], second[2];

static void* read_first(void* argument) {
  char byte;
  if (read(first[0], &byte, 1) == 1) (void)!write(second[1], &byte, 1);
  return argument;
}

int main(void) {
  CHECK_EQ(pipe(first), 0);
  CHECK_EQ(pipe(second), 0);
  pthread_t thread = start(read_first, NULL);
  char byte;
  if (read(second[0], &byte, 1) == 1) (void)!write(first[1], &byte, 1);
  join(thread);
  return 0;
}
