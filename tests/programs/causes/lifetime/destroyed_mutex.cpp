// A cache destroys an entry, and its mutex, that another thread is about to lock.
// cause: use-after-free
// object: Entry
#include <pthread.h>

#include <cassert>

struct Entry {
  int hits = 0;
  int references = 1;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

void* look_up(void* argument) {
  auto* entry = static_cast<Entry*>(argument);
  pthread_mutex_lock(&entry->mutex);  // [last]
  ++entry->hits;
  assert(entry->hits == 1);
  pthread_mutex_unlock(&entry->mutex);
  return nullptr;
}

int main() {
  auto* entry = new Entry;
  pthread_t reader;
  pthread_create(&reader, nullptr, look_up, entry);
#ifdef FIXED
  pthread_join(reader, nullptr);
#endif
  pthread_mutex_destroy(&entry->mutex);
  delete entry;  // [first]
#ifndef FIXED
  pthread_join(reader, nullptr);
#endif
}
