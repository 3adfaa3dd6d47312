// expect: passed
// After a broadcast, a thread may destroy the condition variable at once and use its memory for
// something else, although the waiters have not left yet.
#include "check.h"

struct Shared {
  pthread_mutex_t lock;
  int done, left;
};
static struct Shared shared = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

static void* wait_for_it(void* argument) {
  pthread_cond_t* cond = argument;
  CHECK_EQ(pthread_mutex_lock(&shared.lock), 0);
  while (!shared.done) CHECK_EQ(pthread_cond_wait(cond, &shared.lock), 0);
  ++shared.left;
  CHECK_EQ(pthread_mutex_unlock(&shared.lock), 0);
  return NULL;
}

int main(void) {
  pthread_cond_t* cond = malloc(sizeof *cond);
  CHECK_EQ(pthread_cond_init(cond, NULL), 0);
  pthread_t threads[2] = {start(wait_for_it, cond), start(wait_for_it, cond)};
  settle();
  CHECK_EQ(pthread_mutex_lock(&shared.lock), 0);
  shared.done = 1;
  CHECK_EQ(pthread_cond_broadcast(cond), 0);
  CHECK_EQ(pthread_mutex_unlock(&shared.lock), 0);
  CHECK_EQ(pthread_cond_destroy(cond), 0);
  memset(cond, 0xff, sizeof *cond);
  free(cond);
  for (int i = 0; i < 2; ++i) join(threads[i]);
  CHECK_EQ(shared.left, 2);
  return 0;
}
