// A barrier is made for two of the four threads that meet there: the second half may be missing.
// cause: last-writer
// object: parts
// says: halves, which waits for 2, let
// never: wait for that write
#include <pthread.h>

#include <cassert>

pthread_barrier_t halves;
int parts[4];

void* add(void* argument) {
  int* part = static_cast<int*>(argument);
  *part = 1;  // [first]
  pthread_barrier_wait(&halves);
  int sum = 0;
  for (int one : parts) sum += one;  // [last]
  assert(sum == 4);
  return nullptr;
}

int main() {
#ifdef FIXED
  pthread_barrier_init(&halves, nullptr, 4);
#else
  pthread_barrier_init(&halves, nullptr, 2);
#endif
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], nullptr, add, &parts[i]);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
}
