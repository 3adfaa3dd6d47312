// The main thread is counted among those who arrive, and only joins.
// cause: too-few-arrive
// object: ready
// says: waits for 3 arrivals; 2 came
#include <pthread.h>

#include <thread>

pthread_barrier_t ready;

void work() {
  pthread_barrier_wait(&ready);  // [first] [last]
}

int main() {
#ifdef FIXED
  pthread_barrier_init(&ready, nullptr, 2);
#else
  pthread_barrier_init(&ready, nullptr, 3);
#endif
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  pthread_barrier_destroy(&ready);
}
