// The last user locks what the owner has destroyed.
// level: misuse
// cause: use-after-destruction
// object: pool.mutex
// says: let T0 wait for T1
#include <pthread.h>

struct Pool {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int free = 1;
} pool;

void* give_back(void*) {
  if (pthread_mutex_lock(&pool.mutex) != 0) return nullptr;  // [last]
  ++pool.free;
  pthread_mutex_unlock(&pool.mutex);
  return nullptr;
}

int main() {
  pthread_t user;
  pthread_create(&user, nullptr, give_back, nullptr);
#ifdef FIXED
  pthread_join(user, nullptr);
#endif
  pthread_mutex_destroy(&pool.mutex);  // [first]
#ifndef FIXED
  pthread_join(user, nullptr);
#endif
}
