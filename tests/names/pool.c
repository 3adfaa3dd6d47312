// A library that is compiled without debug information: its locks are on the heap and have no name.
#include <pthread.h>
#include <stdlib.h>

struct pool {
  int size;
  pthread_mutex_t lock;
};

struct pool* pool_new(void) {
  struct pool* made = malloc(sizeof *made);
  made->size = 0;
  pthread_mutex_init(&made->lock, NULL);
  return made;
}

void pool_lock(struct pool* pool) { pthread_mutex_lock(&pool->lock); }
void pool_unlock(struct pool* pool) { pthread_mutex_unlock(&pool->lock); }
