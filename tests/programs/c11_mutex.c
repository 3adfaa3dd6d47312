// expect: passed
// C11 mutexes and conditions: plain, recursive, timed; thrd_busy, thrd_timedout; signal, broadcast.
#include <threads.h>

#include "check.h"

static mtx_t plain, timed, recursive;
static cnd_t cond;
static int inside, total, released, waiting;

static struct timespec in_ms(long ms) {
  struct timespec t;
  CHECK_EQ(timespec_get(&t, TIME_UTC), TIME_UTC);
  return add_ms(t, ms);
}

static int work(void* argument) {
  (void)argument;
  for (int i = 0; i < 3; ++i) {
    CHECK_EQ(mtx_lock(&plain), thrd_success);
    CHECK_EQ(inside++, 0);
    thrd_yield();
    CHECK_EQ(--inside, 0);
    ++total;
    CHECK_EQ(mtx_unlock(&plain), thrd_success);
  }
  return 0;
}

static int contend(void* argument) {
  (void)argument;
  CHECK_EQ(mtx_trylock(&plain), thrd_busy);
  CHECK_EQ(mtx_trylock(&recursive), thrd_busy);
  struct timespec soon = in_ms(20);
  CHECK_EQ(mtx_timedlock(&timed, &soon), thrd_timedout);
  return 0;
}

static int lock_in_time(void* argument) {
  (void)argument;
  struct timespec later = in_ms(60000);
  CHECK_EQ(mtx_timedlock(&timed, &later), thrd_success);
  CHECK_EQ(mtx_unlock(&timed), thrd_success);
  return 0;
}

static int wait_released(void* argument) {
  (void)argument;
  CHECK_EQ(mtx_lock(&plain), thrd_success);
  ++waiting;
  while (!released) {
    struct timespec later = in_ms(60000);
    CHECK_EQ(cnd_timedwait(&cond, &plain, &later), thrd_success);
  }
  CHECK_EQ(mtx_unlock(&plain), thrd_success);
  return 0;
}

int main(void) {
  CHECK_EQ(mtx_init(&plain, mtx_plain), thrd_success);
  CHECK_EQ(mtx_init(&timed, mtx_timed), thrd_success);
  CHECK_EQ(mtx_init(&recursive, mtx_plain | mtx_recursive), thrd_success);
  CHECK_EQ(cnd_init(&cond), thrd_success);
  thrd_t threads[3];
  for (int i = 0; i < 3; ++i) CHECK_EQ(thrd_create(&threads[i], work, NULL), thrd_success);
  for (int i = 0; i < 3; ++i) CHECK_EQ(thrd_join(threads[i], NULL), thrd_success);
  CHECK_EQ(total, 9);

  CHECK_EQ(mtx_lock(&plain), thrd_success);
  CHECK_EQ(mtx_lock(&timed), thrd_success);
  CHECK_EQ(mtx_lock(&recursive), thrd_success);
  CHECK_EQ(mtx_lock(&recursive), thrd_success);
  CHECK_EQ(mtx_unlock(&recursive), thrd_success);
  thrd_t thread;
  CHECK_EQ(thrd_create(&thread, contend, NULL), thrd_success);
  CHECK_EQ(thrd_join(thread, NULL), thrd_success);
  struct timespec soon = in_ms(20);
  int result;
  while ((result = cnd_timedwait(&cond, &plain, &soon)) == thrd_success) {
  }
  CHECK_EQ(result, thrd_timedout);
  CHECK_EQ(thrd_create(&thread, lock_in_time, NULL), thrd_success);
  thrd_yield();
  CHECK_EQ(mtx_unlock(&recursive), thrd_success);
  CHECK_EQ(mtx_unlock(&timed), thrd_success);
  CHECK_EQ(mtx_unlock(&plain), thrd_success);
  CHECK_EQ(thrd_join(thread, NULL), thrd_success);

  for (int i = 0; i < 3; ++i) CHECK_EQ(thrd_create(&threads[i], wait_released, NULL), thrd_success);
  settle();
  CHECK_EQ(mtx_lock(&plain), thrd_success);
  CHECK_EQ(waiting, 3);
  released = 1;
  CHECK_EQ(mtx_unlock(&plain), thrd_success);
  CHECK_EQ(cnd_broadcast(&cond), thrd_success);
  for (int i = 0; i < 3; ++i) CHECK_EQ(thrd_join(threads[i], NULL), thrd_success);
  return 0;
}
