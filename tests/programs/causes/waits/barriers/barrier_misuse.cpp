// A worker that finds nothing to do leaves without arriving at the barrier.
// cause: missing-arrival
// object: phase
#include <pthread.h>

#include <atomic>

pthread_barrier_t phase;
std::atomic<int> rows{2};

void* work(void*) {
  if (rows.fetch_sub(1) <= 0) {  // [first]
#ifdef FIXED
    pthread_barrier_wait(&phase);
#endif
    return nullptr;
  }
  pthread_barrier_wait(&phase);  // [last]
  return nullptr;
}

int main() {
  pthread_barrier_init(&phase, nullptr, 3);
  pthread_t workers[3];
  for (pthread_t& worker : workers) pthread_create(&worker, nullptr, work, nullptr);
  for (pthread_t& worker : workers) pthread_join(worker, nullptr);
  pthread_barrier_destroy(&phase);
}
