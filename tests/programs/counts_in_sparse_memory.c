// expect: passed
// seeds: 3
// native: no
// Each thread gives way again and again, and nothing changes in its registers and on its stack. It
// counts in one page of a large mapping that nobody else touches, so there is no livelock.
// (Natively each yield may cost a time slice.)
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>

#include "check.h"

enum { kTurns = 15000 };
static const size_t kBytes = (size_t)512 << 20;

static char* memory;

__attribute__((noinline)) static int count_at(size_t place) {
  volatile int* count = (volatile int*)(memory + place);
  *count = *count + 1;
  return *count < kTurns;
}

static void* low(void* argument) {
  while (count_at((size_t)300 << 20)) sched_yield();
  return argument;
}

static void* high(void* argument) {
  while (count_at(kBytes - sizeof(int))) sched_yield();
  return argument;
}

int main(void) {
  memory = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
  CHECK(memory != MAP_FAILED);
  pthread_t threads[2];
  CHECK(pthread_create(&threads[0], NULL, low, NULL) == 0);
  CHECK(pthread_create(&threads[1], NULL, high, NULL) == 0);
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  return 0;
}
