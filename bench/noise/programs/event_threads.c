// library: libevent
// package: libevent-dev
// link: -levent -levent_pthreads
// A loop in one thread; others activate its events and end it.
#include <assert.h>
#include <event2/event.h>
#include <event2/thread.h>
#include <pthread.h>

static struct event_base* base;
static struct event* bell;
static int rung;  // the loop's thread alone uses it while the loop runs

static void ring(evutil_socket_t fd, short what, void* argument) {
  (void)fd;
  (void)argument;
  assert(what == EV_READ);
  ++rung;
}

static void* run(void* argument) {
  assert(event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY) == 0);
  return argument;
}

static void* knock(void* argument) {
  for (int i = 0; i < 3; ++i) event_active(bell, EV_READ, 0);
  return argument;
}

int main(void) {
  assert(evthread_use_pthreads() == 0);
  base = event_base_new();
  bell = event_new(base, -1, EV_PERSIST, ring, NULL);
  assert(base && bell);
  pthread_t loop, one, two;
  assert(pthread_create(&loop, NULL, run, NULL) == 0);
  assert(pthread_create(&one, NULL, knock, NULL) == 0);
  assert(pthread_create(&two, NULL, knock, NULL) == 0);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  const struct timeval soon = {0, 2000};
  assert(event_base_loopexit(base, &soon) == 0);
  pthread_join(loop, NULL);
  assert(rung >= 1 && rung <= 6);
  event_free(bell);
  event_base_free(base);
  libevent_global_shutdown();
}
