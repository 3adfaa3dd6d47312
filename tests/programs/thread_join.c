// expect: passed
// Creation and every way to join: values, errors, and who may join whom.
#include "check.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_t main_thread;

static void* twice(void* argument) { return (void*)((long)argument * 2); }

static void* wait_for_gate(void* argument) {
  CHECK_EQ(pthread_mutex_lock(&gate), 0);
  CHECK_EQ(pthread_mutex_unlock(&gate), 0);
  return argument;
}

static void* join_self(void* argument) {
  CHECK_EQ(pthread_join(pthread_self(), NULL), EDEADLK);
  return argument;
}

static void* look_around(void* argument) {
  CHECK(!pthread_equal(pthread_self(), main_thread));
  CHECK(pthread_equal(pthread_self(), pthread_self()));
  pthread_attr_t attributes;
  CHECK_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
  void* base;
  size_t size;
  CHECK_EQ(pthread_attr_getstack(&attributes, &base, &size), 0);
  char here;
  CHECK(&here >= (char*)base && &here < (char*)base + size);
  CHECK(size >= *(size_t*)argument);
  char name[16];
  CHECK_EQ(pthread_setname_np(pthread_self(), "looker"), 0);
  CHECK_EQ(pthread_getname_np(pthread_self(), name, sizeof name), 0);
  CHECK(strcmp(name, "looker") == 0);
  pthread_attr_destroy(&attributes);
  return NULL;
}

static void* join_other(void* argument) {
  pthread_t other = *(pthread_t*)argument;
  CHECK_EQ((long)join(other), 7);
  return NULL;
}

int main(void) {
  main_thread = pthread_self();

  pthread_t threads[4];
  for (long i = 0; i < 4; ++i) threads[i] = start(twice, (void*)i);
  for (long i = 0; i < 4; ++i) CHECK_EQ((long)join(threads[i]), i * 2);

  join(start(join_self, NULL));

  pthread_attr_t attributes;
  CHECK_EQ(pthread_attr_init(&attributes), 0);
  size_t size = 256 * 1024;
  CHECK_EQ(pthread_attr_setstacksize(&attributes, size), 0);
  pthread_t looker;
  CHECK_EQ(pthread_create(&looker, &attributes, look_around, &size), 0);
  CHECK_EQ(pthread_join(looker, NULL), 0);
  CHECK_EQ(pthread_attr_destroy(&attributes), 0);

  CHECK_EQ(pthread_mutex_lock(&gate), 0);
  pthread_t held = start(wait_for_gate, (void*)7);
  void* value = NULL;
  CHECK_EQ(pthread_tryjoin_np(held, &value), EBUSY);
  struct timespec soon = deadline_on(CLOCK_REALTIME, 30);
  CHECK_EQ(pthread_timedjoin_np(held, &value, &soon), ETIMEDOUT);
  CHECK(ms_between(soon, time_on(CLOCK_REALTIME)) >= 0);
  soon = deadline_on(CLOCK_MONOTONIC, 30);
  CHECK_EQ(pthread_clockjoin_np(held, &value, CLOCK_MONOTONIC, &soon), ETIMEDOUT);

  // Any thread may join any other.
  pthread_t joiner = start(join_other, &held);
  sched_yield();
  CHECK_EQ(pthread_mutex_unlock(&gate), 0);
  join(joiner);

  pthread_t quick = start(twice, (void*)21);
  settle();
  CHECK_EQ(pthread_tryjoin_np(quick, &value), 0);
  CHECK_EQ((long)value, 42);
  quick = start(twice, (void*)4);
  struct timespec later = deadline_on(CLOCK_REALTIME, 60000);
  CHECK_EQ(pthread_timedjoin_np(quick, &value, &later), 0);
  CHECK_EQ((long)value, 8);
  return 0;
}
