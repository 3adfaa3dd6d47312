// expect: passed
// Deferred cancellation at each kind of cancellation point: the thread ends as PTHREAD_CANCELED,
// its cleanup handler has run, and a cancelled condition wait holds its mutex again in the handler.
#include <poll.h>
#include <semaphore.h>
#include <signal.h>

#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t never;
static int empty_pipe[2];
static pthread_t sleeper;
static int cleaned;

static void count(void* argument) {
  (void)argument;
  ++cleaned;
}

static void unlock(void* argument) {
  CHECK_EQ(pthread_mutex_unlock(argument), 0);
  ++cleaned;
}

static void at_cond_wait(void) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(unlock, &lock);
  for (;;) pthread_cond_wait(&cond, &lock);
  pthread_cleanup_pop(0);
}
static void at_cond_timedwait(void) {
  struct timespec far = deadline_on(CLOCK_REALTIME, 3600 * 1000);
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(unlock, &lock);
  pthread_cond_timedwait(&cond, &lock, &far);
  pthread_cleanup_pop(0);
}
static void at_sem_wait(void) { sem_wait(&never); }
static void at_nanosleep(void) {
  struct timespec hour = {3600, 0};
  nanosleep(&hour, NULL);
}
static void at_sleep(void) { sleep(3600); }
static void at_usleep(void) {
  for (;;) usleep(900000);
}
static void at_read(void) {
  char byte;
  (void)!read(empty_pipe[0], &byte, 1);
}
static void at_poll(void) {
  struct pollfd wanted = {empty_pipe[0], POLLIN, 0};
  poll(&wanted, 1, -1);
}
static void at_join(void) { pthread_join(sleeper, NULL); }
static void at_testcancel(void) {
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
}
static void at_sigwait(void) {
  sigset_t set;
  int got;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigwait(&set, &got);
}

static void* be_cancelled(void* argument) {
  void (*where)(void) = argument;
  pthread_cleanup_push(count, NULL);
  where();
  pthread_cleanup_pop(0);
  return NULL;
}

static void* sleep_long(void* argument) {
  sleep(7200);
  return argument;
}

static void cancel_at(void (*where)(void), int handlers) {
  cleaned = 0;
  pthread_t thread = start(be_cancelled, where);
  settle();
  CHECK_EQ(pthread_cancel(thread), 0);
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQ(cleaned, handlers);
}

int main(void) {
  CHECK_EQ(sem_init(&never, 0, 0), 0);
  CHECK_EQ(pipe(empty_pipe), 0);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  CHECK_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  sleeper = start(sleep_long, NULL);

  cancel_at(at_cond_wait, 2);
  cancel_at(at_cond_timedwait, 2);
  cancel_at(at_sem_wait, 1);
  cancel_at(at_nanosleep, 1);
  cancel_at(at_sleep, 1);
  cancel_at(at_usleep, 1);
  cancel_at(at_read, 1);
  cancel_at(at_poll, 1);
  cancel_at(at_join, 1);
  cancel_at(at_testcancel, 1);
  cancel_at(at_sigwait, 1);

  // The cancelled joiner leaves the thread joinable.
  CHECK_EQ(pthread_cancel(sleeper), 0);
  CHECK(join(sleeper) == PTHREAD_CANCELED);
  CHECK_EQ(pthread_mutex_trylock(&lock), 0);
  return 0;
}
