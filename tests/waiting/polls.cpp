// Two threads poll a plain variable that races, call functions and yield in between; a third one
// sets it now and then.
#include <pthread.h>
#include <sched.h>
#include <string.h>

volatile int ready;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Leaves something else on the stack each time.
__attribute__((noinline)) int work(int n) {
  char bytes[512];
  memset(bytes, n, sizeof bytes);
  pthread_mutex_lock(&lock);
  const int seen = bytes[n % 512];
  pthread_mutex_unlock(&lock);
  return seen;
}

__attribute__((noinline)) bool is_ready(int wanted) { return ready >= wanted; }

void* consume(void* argument) {
  for (int i = 1; i <= 5; ++i) {
    while (!is_ready(i)) {
      work(i & 1);
      sched_yield();
    }
    while (ready < i + 1 && ready < 5) {
    }
  }
  return argument;
}

void* produce(void* argument) {
  for (int i = 1; i <= 5; ++i) {
    for (int k = 0; k < 20; ++k) work(k);
    ready = i;
    sched_yield();
  }
  return argument;
}

int main() {
  pthread_t threads[3];
  pthread_create(&threads[0], nullptr, consume, nullptr);
  pthread_create(&threads[1], nullptr, consume, nullptr);
  pthread_create(&threads[2], nullptr, produce, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
