// library: libuv
// package: libuv1-dev
// link: -luv
// libuv's own primitives: a semaphore, a barrier, a reader-writer lock, a condition with a
// time-out.
#include <assert.h>
#include <uv.h>

static uv_sem_t sem;
static uv_barrier_t barrier;
static uv_rwlock_t lock;
static int shared;

static void body(void* argument) {
  (void)argument;
  uv_sem_wait(&sem);
  uv_rwlock_wrlock(&lock);
  ++shared;
  uv_rwlock_wrunlock(&lock);
  uv_barrier_wait(&barrier);
  uv_rwlock_rdlock(&lock);
  assert(shared == 2);
  uv_rwlock_rdunlock(&lock);
}

int main(void) {
  assert(uv_sem_init(&sem, 0) == 0 && uv_barrier_init(&barrier, 3) == 0 &&
         uv_rwlock_init(&lock) == 0);
  uv_thread_t threads[2];
  for (int i = 0; i < 2; ++i) assert(uv_thread_create(&threads[i], body, NULL) == 0);
  for (int i = 0; i < 2; ++i) uv_sem_post(&sem);
  uv_barrier_wait(&barrier);

  uv_mutex_t mutex;
  uv_cond_t never;
  assert(uv_mutex_init(&mutex) == 0 && uv_cond_init(&never) == 0);
  uv_mutex_lock(&mutex);
  int status;
  do {
    status = uv_cond_timedwait(&never, &mutex, 1000000);  // 1 ms
  } while (status == 0);
  assert(status == UV_ETIMEDOUT);
  uv_mutex_unlock(&mutex);

  for (int i = 0; i < 2; ++i) assert(uv_thread_join(&threads[i]) == 0);
  uv_barrier_destroy(&barrier);
  uv_rwlock_destroy(&lock);
  uv_sem_destroy(&sem);
  uv_cond_destroy(&never);
  uv_mutex_destroy(&mutex);
}
