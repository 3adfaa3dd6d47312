// library: libev
// package: libev-dev
// link: -lev
// A loop with a timer; two threads leave work under a lock and wake the loop with ev_async_send().
#include <assert.h>
#include <ev.h>
#include <pthread.h>

static struct ev_loop* loop;
static ev_async bell;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int pending;                // under the mutex
static int taken, ticks, working;  // the loop's thread only

static void rung(struct ev_loop* of, ev_async* watcher, int events) {
  (void)watcher;
  (void)events;
  pthread_mutex_lock(&mutex);
  taken += pending;
  pending = 0;
  pthread_mutex_unlock(&mutex);
  if (taken == 6) {
    working = 0;
    ev_break(of, EVBREAK_ALL);
  }
}

static void tick(struct ev_loop* of, ev_timer* watcher, int events) {
  (void)of;
  (void)watcher;
  (void)events;
  ++ticks;
}

static void* leave(void* argument) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&mutex);
    ++pending;
    pthread_mutex_unlock(&mutex);
    ev_async_send(loop, &bell);
  }
  return argument;
}

int main(void) {
  loop = ev_loop_new(EVFLAG_AUTO);
  ev_async_init(&bell, rung);
  ev_async_start(loop, &bell);
  ev_timer timer;
  ev_timer_init(&timer, tick, 0.0, 0.0);
  ev_timer_start(loop, &timer);
  working = 1;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, leave, NULL) == 0);
  while (working) ev_run(loop, 0);
  for (int i = 0; i < 2; ++i) assert(pthread_join(threads[i], NULL) == 0);
  assert(taken == 6 && ticks <= 1);
  ev_loop_destroy(loop);
}
