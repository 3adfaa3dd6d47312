// what: a mutex is destroyed when its last user has ended
// broken: nobody waits for the user, which may be about to lock it for the first time
#include <pthread.h>

#include <cassert>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void* use(void* argument) {
  const int failed = pthread_mutex_lock(&mutex);
  assert(failed == 0);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main() {
  pthread_t user;
  pthread_create(&user, nullptr, use, nullptr);
#ifndef BROKEN
  pthread_join(user, nullptr);
#endif
  pthread_mutex_destroy(&mutex);
#ifdef BROKEN
  pthread_join(user, nullptr);
#endif
}
