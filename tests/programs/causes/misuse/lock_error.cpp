// The last user destroys the mutex, and somebody who is not counted locks it.
// cause: use-after-destruction
// object: guard
// says: used it after that
#include <pthread.h>

#include <cassert>

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

void* leave(void*) {
  pthread_mutex_lock(&guard);
  pthread_mutex_unlock(&guard);
#ifndef FIXED
  pthread_mutex_destroy(&guard);  // [first]
#endif
  return nullptr;
}

void* look(void*) {
  const int error = pthread_mutex_lock(&guard);  // [last]
  assert(error == 0);
  pthread_mutex_unlock(&guard);
  return nullptr;
}

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, leave, nullptr);
  pthread_create(&threads[1], nullptr, look, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
#ifdef FIXED
  pthread_mutex_destroy(&guard);
#endif
}
