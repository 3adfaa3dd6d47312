// expect: passed
// seeds: 3
// native: no
// Each thread gives the other many chances, and then goes on alone: no livelock, because each
// counts, on its stack or in a register. (Natively each yield may cost a time slice.)
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { kChances = 15000 };

static atomic_int arrived;

static void* on_stack(void* argument) {
  volatile int left = kChances;
  while (left > 0 && atomic_load(&arrived) == 0) {
    --left;
    sched_yield();
  }
  return argument;
}

static void* in_register(void* argument) {
  for (int left = kChances; left > 0 && atomic_load(&arrived) == 0; --left) sched_yield();
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, on_stack, NULL);
  pthread_create(&threads[1], NULL, in_register, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
