// The owner takes "somebody is about to notify" for "nobody waits any more".
// level: misuse
// cause: destroyed-awaited
// object: gate.opened
// says: let T0 wait for T1
#include <pthread.h>

#include <atomic>

struct Gate {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
  bool open = false;
} gate;
std::atomic<bool> passing{false};

void* pass(void*) {
  pthread_mutex_lock(&gate.mutex);
  passing = true;
  while (!gate.open) pthread_cond_wait(&gate.opened, &gate.mutex);  // [first]
  pthread_mutex_unlock(&gate.mutex);
  return nullptr;
}

void* open_it(void*) {
  pthread_mutex_lock(&gate.mutex);
  gate.open = true;
  pthread_cond_signal(&gate.opened);
  pthread_mutex_unlock(&gate.mutex);
  return nullptr;
}

int main() {
  pthread_t visitor;
  pthread_t porter;
  pthread_create(&visitor, nullptr, pass, nullptr);
  pthread_create(&porter, nullptr, open_it, nullptr);
#ifdef FIXED
  pthread_join(visitor, nullptr);
  pthread_join(porter, nullptr);
  pthread_cond_destroy(&gate.opened);
#else
  if (passing) {
    pthread_mutex_lock(&gate.mutex);  // from now on the visitor waits, or has passed
    pthread_mutex_unlock(&gate.mutex);
    pthread_cond_destroy(&gate.opened);  // [last]
  }
  pthread_join(visitor, nullptr);
  pthread_join(porter, nullptr);
#endif
}
