// expect: passed
// Thread-specific data: separate values, destructors at the end of a thread (and again while they
// set new values, at most PTHREAD_DESTRUCTOR_ITERATIONS times), none after deletion of the key.
#include <limits.h>

#include "check.h"

static pthread_key_t plain, counted, stubborn, deleted;
static int counted_calls, stubborn_calls, deleted_calls;

static void count(void* value) {
  CHECK_EQ(*(int*)value, 42);
  CHECK(pthread_getspecific(counted) == NULL);
  ++counted_calls;
  free(value);
}

static void set_again(void* value) {
  ++stubborn_calls;
  CHECK_EQ(pthread_setspecific(stubborn, value), 0);
}

static void count_deleted(void* value) {
  (void)value;
  ++deleted_calls;
}

static void* body(void* argument) {
  CHECK(pthread_getspecific(plain) == NULL);
  CHECK_EQ(pthread_setspecific(plain, argument), 0);
  sched_yield();
  CHECK(pthread_getspecific(plain) == argument);
  int* value = malloc(sizeof *value);
  *value = 42;
  CHECK_EQ(pthread_setspecific(counted, value), 0);
  CHECK_EQ(pthread_setspecific(deleted, argument), 0);
  if (argument == (void*)1) {
    CHECK_EQ(pthread_setspecific(stubborn, argument), 0);
    pthread_exit(NULL);
  }
  return NULL;
}

static void* cancelled(void* argument) {
  body(argument);
  sleep(3600);
  return NULL;
}

int main(void) {
  CHECK_EQ(pthread_key_create(&plain, NULL), 0);
  CHECK_EQ(pthread_key_create(&counted, count), 0);
  CHECK_EQ(pthread_key_create(&stubborn, set_again), 0);
  CHECK_EQ(pthread_key_create(&deleted, count_deleted), 0);
  CHECK_EQ(pthread_setspecific(plain, &plain), 0);

  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) {
    threads[i] = start(i < 2 ? body : cancelled, (void*)(i + 1));
  }
  settle();
  // Two threads ended with this key alive; the third ends after it is gone.
  CHECK_EQ(pthread_key_delete(deleted), 0);
  CHECK_EQ(pthread_cancel(threads[2]), 0);
  for (int i = 0; i < 3; ++i) join(threads[i]);
  CHECK_EQ(counted_calls, 3);
  CHECK_EQ(stubborn_calls, PTHREAD_DESTRUCTOR_ITERATIONS);
  CHECK_EQ(deleted_calls, 2);

  CHECK_EQ(pthread_setspecific(deleted, &plain), EINVAL);
  CHECK_EQ(pthread_key_delete(deleted), EINVAL);
  CHECK(pthread_getspecific(plain) == &plain);
  return 0;
}
