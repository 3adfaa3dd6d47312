// A thread releases the lock before it notifies a condition, which is destroyed in between.
// cause: use-after-destruction
// object: Done::changed or done.changed or condition variable
// seen: notify before
// level: misuse
#include <pthread.h>

struct Done {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  bool is_so = false;
  int times = 0;
};

static void* set(void* argument) {
  auto* done = static_cast<Done*>(argument);
  pthread_mutex_lock(&done->mutex);
  done->times = 1;
  done->is_so = true;
#ifdef FIXED
  pthread_cond_signal(&done->changed);
  pthread_mutex_unlock(&done->mutex);
#else
  pthread_mutex_unlock(&done->mutex);
  pthread_cond_signal(&done->changed);  // [last]
#endif
  return nullptr;
}

int main() {
  auto* done = new Done;
  pthread_t worker;
  pthread_create(&worker, nullptr, set, done);
  pthread_mutex_lock(&done->mutex);
  while (!done->is_so) pthread_cond_wait(&done->changed, &done->mutex);
  pthread_mutex_unlock(&done->mutex);
  pthread_cond_destroy(&done->changed);  // [first]
  delete done;
  pthread_join(worker, nullptr);
}
