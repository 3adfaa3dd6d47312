// expect: passed
// The fixed twin of lost_signal_outside.c: the thread sets the flag under the mutex; the signal may
// come later.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t unrelated = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void* wait_done(void* argument) {
  pthread_mutex_lock(&lock);
  while (!atomic_load(&done)) pthread_cond_wait(&cond, &lock);
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  pthread_t waiter;
  pthread_create(&waiter, NULL, wait_done, NULL);
  pthread_mutex_lock(&unrelated);
  pthread_mutex_unlock(&unrelated);
  pthread_mutex_lock(&lock);
  atomic_store(&done, 1);
  pthread_mutex_unlock(&lock);
  pthread_cond_signal(&cond);
  pthread_join(waiter, NULL);
  return 0;
}
