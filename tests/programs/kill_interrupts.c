// expect: passed
// A handler interrupts what POSIX says it interrupts: EINTR from sem_wait, nanosleep (with what was
// left), read, poll and select; SA_RESTART restarts read; mutex and condition waits never see
// EINTR.
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/select.h>

#include "check.h"

static sem_t never;
static int empty_pipe[2];
static volatile sig_atomic_t handled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int wanted;

static void on_signal(int number) {
  (void)number;
  ++handled;
}

static void* in_sem_wait(void* argument) {
  CHECK_ERRNO(sem_wait(&never), EINTR);
  return argument;
}
static void* in_nanosleep(void* argument) {
  struct timespec hour = {3600, 0}, left = {0, 0};
  CHECK_ERRNO(nanosleep(&hour, &left), EINTR);
  CHECK(left.tv_sec > 3500 && left.tv_sec <= 3600);
  return argument;
}
static void* in_clock_nanosleep(void* argument) {
  struct timespec far = deadline_on(CLOCK_MONOTONIC, 3600 * 1000);
  CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &far, NULL), EINTR);
  return argument;
}
static void* in_sleep(void* argument) {
  unsigned left = sleep(3600);
  CHECK(left > 3500 && left <= 3600);
  return argument;
}
static void* in_read(void* argument) {
  char byte;
  CHECK_ERRNO(read(empty_pipe[0], &byte, 1), EINTR);
  return argument;
}
static void* in_poll(void* argument) {
  struct pollfd entry = {empty_pipe[0], POLLIN, 0};
  CHECK_ERRNO(poll(&entry, 1, -1), EINTR);
  return argument;
}
static void* in_select(void* argument) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(empty_pipe[0], &set);
  CHECK_ERRNO(select(empty_pipe[0] + 1, &set, NULL, NULL, NULL), EINTR);
  return argument;
}
static void* in_restarted_read(void* argument) {
  char byte = 0;
  CHECK_EQ(read(empty_pipe[0], &byte, 1), 1);
  CHECK_EQ(byte, 'x');
  return argument;
}
static void* in_mutex(void* argument) {
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return argument;
}
static void* in_cond(void* argument) {
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  while (!wanted) CHECK_EQ(pthread_cond_wait(&cond, &lock), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  return argument;
}
static void* in_join(void* argument) {
  CHECK_EQ(pthread_join(*(pthread_t*)argument, NULL), 0);
  return NULL;
}

static void use_handler(int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = flags;
  CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
}

static pthread_t interrupt(void* (*body)(void*), void* argument) {
  handled = 0;
  pthread_t thread = start(body, argument);
  settle();
  CHECK_EQ(pthread_kill(thread, SIGUSR1), 0);
  settle();
  CHECK_EQ(handled, 1);
  return thread;
}

int main(void) {
  CHECK_EQ(sem_init(&never, 0, 0), 0);
  CHECK_EQ(pipe(empty_pipe), 0);

  use_handler(0);
  join(interrupt(in_sem_wait, NULL));
  join(interrupt(in_nanosleep, NULL));
  join(interrupt(in_clock_nanosleep, NULL));
  join(interrupt(in_sleep, NULL));
  join(interrupt(in_read, NULL));
  join(interrupt(in_poll, NULL));
  join(interrupt(in_select, NULL));

  use_handler(SA_RESTART);
  pthread_t reader = interrupt(in_restarted_read, NULL);
  CHECK_EQ(write(empty_pipe[1], "x", 1), 1);
  join(reader);

  use_handler(0);
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  pthread_t locker = interrupt(in_mutex, NULL);
  pthread_t joiner = interrupt(in_join, &locker);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  join(joiner);

  pthread_t waiter = interrupt(in_cond, NULL);
  CHECK_EQ(pthread_mutex_lock(&lock), 0);
  wanted = 1;
  CHECK_EQ(pthread_cond_signal(&cond), 0);
  CHECK_EQ(pthread_mutex_unlock(&lock), 0);
  join(waiter);
  return 0;
}
