// expect: passed
// C11 threads: create, join, detach, exit, equality, sleep, yield, tss with destructors, call_once.
#include <threads.h>

#include "check.h"

static once_flag flag = ONCE_FLAG_INIT;
static int once_calls, destroyed;
static tss_t slot;
static mtx_t lock;
static cnd_t changed;
static int detached_done;

static void once_body(void) { ++once_calls; }

static void destroy(void* value) {
  CHECK_EQ((long)value, 5);
  ++destroyed;
}

static int work(void* argument) {
  call_once(&flag, once_body);
  CHECK_EQ(once_calls, 1);
  CHECK(tss_get(slot) == NULL);
  CHECK_EQ(tss_set(slot, (void*)5), thrd_success);
  thrd_yield();
  CHECK_EQ((long)tss_get(slot), 5);
  if (argument == NULL) thrd_exit(77);
  return *(int*)argument;
}

static int detached(void* argument) {
  (void)argument;
  mtx_lock(&lock);
  detached_done = 1;
  cnd_signal(&changed);
  mtx_unlock(&lock);
  return 0;
}

int main(void) {
  CHECK_EQ(mtx_init(&lock, mtx_plain), thrd_success);
  CHECK_EQ(cnd_init(&changed), thrd_success);
  CHECK_EQ(tss_create(&slot, destroy), thrd_success);
  int seven = 7, result = 0;
  thrd_t a, b, c;
  CHECK_EQ(thrd_create(&a, work, &seven), thrd_success);
  CHECK_EQ(thrd_create(&b, work, NULL), thrd_success);
  CHECK(!thrd_equal(a, b));
  CHECK(thrd_equal(thrd_current(), thrd_current()));
  CHECK_EQ(thrd_join(a, &result), thrd_success);
  CHECK_EQ(result, 7);
  CHECK_EQ(thrd_join(b, &result), thrd_success);
  CHECK_EQ(result, 77);
  CHECK_EQ(destroyed, 2);

  CHECK_EQ(thrd_create(&c, detached, NULL), thrd_success);
  CHECK_EQ(thrd_detach(c), thrd_success);
  mtx_lock(&lock);
  while (!detached_done) CHECK_EQ(cnd_wait(&changed, &lock), thrd_success);
  mtx_unlock(&lock);

  struct timespec before = time_on(CLOCK_MONOTONIC), pause = {0, 20 * 1000000};
  CHECK_EQ(thrd_sleep(&pause, NULL), 0);
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= 20);
  tss_delete(slot);
  cnd_destroy(&changed);
  mtx_destroy(&lock);
  return 0;
}
