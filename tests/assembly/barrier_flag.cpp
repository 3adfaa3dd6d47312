// A volatile flag says that the data is there. A fence in assembly comes before it. With BUG, the
// fence only keeps the compiler from reordering.
#include <pthread.h>
#include <sched.h>
#include <cassert>
#include <cstddef>

#include "assembly.h"

static int data, ready;

static void* produce(void* unused) {
  data = 42;
#ifdef BUG
  __asm__ __volatile__("" ::: "memory");
#else
  __asm__ __volatile__("mfence" ::: "memory");
#endif
  STORE(ready, 1);
  return unused;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, produce, nullptr);
  while (!LOAD(ready)) sched_yield();
  assert(data == 42);
  pthread_join(thread, nullptr);
}
