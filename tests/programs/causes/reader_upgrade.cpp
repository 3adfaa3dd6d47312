// Two readers find the entry old, and each wants to write without giving up its read lock.
// cause: lock-upgrade
// object: entry_lock
#include <pthread.h>

pthread_rwlock_t entry_lock = PTHREAD_RWLOCK_INITIALIZER;
int version = 1;

void* refresh(void*) {
  pthread_rwlock_rdlock(&entry_lock);  // [first]
  if (version < 2) {
#ifdef FIXED
    pthread_rwlock_unlock(&entry_lock);
#endif
    pthread_rwlock_wrlock(&entry_lock);  // [last]
    version = 2;
  }
  pthread_rwlock_unlock(&entry_lock);
  return nullptr;
}

int main() {
  pthread_t readers[2];
  for (pthread_t& reader : readers) pthread_create(&reader, nullptr, refresh, nullptr);
  for (pthread_t& reader : readers) pthread_join(reader, nullptr);
}
