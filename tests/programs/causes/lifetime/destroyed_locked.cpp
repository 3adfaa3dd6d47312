// The waiter sees the flag, and destroys the lock that the other thread has yet to release.
// cause: destroyed-locked
// object: job.mutex
// says: let T0 wait for T1
#include <pthread.h>

#include <atomic>
#include <cassert>

struct Job {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<bool> done{false};
} job;

void* finish(void*) {
  pthread_mutex_lock(&job.mutex);  // [first]
  job.done = true;
  pthread_mutex_unlock(&job.mutex);
  return nullptr;
}

int main() {
  pthread_t worker;
  pthread_create(&worker, nullptr, finish, nullptr);
#ifdef FIXED
  pthread_join(worker, nullptr);
#endif
  if (job.done) {
    const int error = pthread_mutex_destroy(&job.mutex);  // [last]
    assert(error == 0);
  }
#ifndef FIXED
  pthread_join(worker, nullptr);
#endif
}
