// A worker returns early, and forgets that it holds the lock.
// cause: left-locked
// object: jobs.mutex
// says: ended without unlocking it
#include <pthread.h>

#include <atomic>
#include <thread>

struct Jobs {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<bool> closed{false};
  int done = 0;
};

Jobs jobs;

void work() {
  pthread_mutex_lock(&jobs.mutex);  // [first]
  if (jobs.closed) {
#ifdef FIXED
    pthread_mutex_unlock(&jobs.mutex);
#endif
    return;
  }
  ++jobs.done;
  pthread_mutex_unlock(&jobs.mutex);
}

int main() {
  std::thread worker(work);
  jobs.closed = true;
  worker.join();
  pthread_mutex_lock(&jobs.mutex);  // [last]
  jobs.done = 0;
  pthread_mutex_unlock(&jobs.mutex);
}
