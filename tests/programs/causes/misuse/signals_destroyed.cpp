// The one who waits destroys the condition when it has what it waited for; the other has yet to
// signal it.
// level: misuse
// cause: use-after-destruction
// object: call.done
#include <pthread.h>

struct Call {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t done = PTHREAD_COND_INITIALIZER;
  bool finished = false;
} call;

void* work(void*) {
  pthread_mutex_lock(&call.mutex);
  call.finished = true;
#ifdef FIXED
  pthread_cond_signal(&call.done);
  pthread_mutex_unlock(&call.mutex);
#else
  pthread_mutex_unlock(&call.mutex);
  pthread_cond_signal(&call.done);  // [last]
#endif
  return nullptr;
}

int main() {
  pthread_t worker;
  pthread_create(&worker, nullptr, work, nullptr);
  pthread_mutex_lock(&call.mutex);
  while (!call.finished) pthread_cond_wait(&call.done, &call.mutex);
  pthread_mutex_unlock(&call.mutex);
  pthread_cond_destroy(&call.done);  // [first]
  pthread_join(worker, nullptr);
}
