// A counter that one instruction raises. With BUG it is not locked: processors lose counts.
#include <pthread.h>
#include <cstddef>

static int counter;

static void* count(void* unused) {
#ifdef BUG
  __asm__ __volatile__("incl %0" : "+m"(counter) : : "cc");
#else
  __asm__ __volatile__("lock; incl %0" : "+m"(counter) : : "memory", "cc");
#endif
  return unused;
}

int main() {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], nullptr, count, nullptr);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], nullptr);
  return counter == 0;
}
