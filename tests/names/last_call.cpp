// The last thing that a function does is a call, which an optimiser makes in place of the return:
// the line of the unlock is that of the function, not its caller's.
#include <pthread.h>
#include <cassert>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;

__attribute__((noinline)) int add() {
  pthread_mutex_lock(&mutex);
  ++count;
  return pthread_mutex_unlock(&mutex);  // [unlock]
}

__attribute__((noinline)) void work() {
  const int failed = add();  // [work]
  assert(failed == 0);
}

int main() {
  work();
  assert(count == 2);
}
