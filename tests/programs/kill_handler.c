// expect: passed
// pthread_kill: the handler runs in the thread that the call names, whatever that thread is doing.
#include <semaphore.h>
#include <signal.h>

#include "check.h"

static sem_t ready, go;
static pthread_t target, handled_by;
static volatile sig_atomic_t handled;

static void on_signal(int number) {
  CHECK_EQ(number, SIGUSR1);
  handled_by = pthread_self();
  ++handled;
}

static void* wait_blocked(void* argument) {
  CHECK_EQ(sem_post(&ready), 0);
  while (sem_wait(&go) != 0) CHECK_EQ(errno, EINTR);
  return argument;
}

static void* wait_masked(void* argument) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  CHECK_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  CHECK_EQ(sem_post(&ready), 0);
  CHECK_EQ(sem_wait(&go), 0);
  CHECK_EQ(handled, 1);
  sigset_t pending;
  CHECK_EQ(sigpending(&pending), 0);
  CHECK(sigismember(&pending, SIGUSR1));
  CHECK_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
  CHECK_EQ(handled, 2);
  CHECK(pthread_equal(handled_by, pthread_self()));
  return argument;
}

static void* quick(void* argument) { return argument; }

int main(void) {
  CHECK_EQ(sem_init(&ready, 0, 0), 0);
  CHECK_EQ(sem_init(&go, 0, 0), 0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);

  target = start(wait_blocked, NULL);
  CHECK_EQ(sem_wait(&ready), 0);
  CHECK_EQ(pthread_kill(target, 0), 0);
  CHECK_EQ(pthread_kill(target, 1000), EINVAL);
  CHECK_EQ(pthread_kill(target, SIGUSR1), 0);
  settle();
  CHECK_EQ(handled, 1);
  CHECK(pthread_equal(handled_by, target));
  CHECK_EQ(sem_post(&go), 0);
  join(target);

  target = start(wait_masked, NULL);
  CHECK_EQ(sem_wait(&ready), 0);
  CHECK_EQ(pthread_kill(target, SIGUSR1), 0);
  settle();
  CHECK_EQ(handled, 1);
  CHECK_EQ(sem_post(&go), 0);
  join(target);

  // A signal to the calling thread arrives before the call returns.
  handled = 0;
  CHECK_EQ(pthread_kill(pthread_self(), SIGUSR1), 0);
  CHECK_EQ(handled, 1);
  CHECK(pthread_equal(handled_by, pthread_self()));

  // A thread that has ended and is not joined yet is still a valid target.
  target = start(quick, NULL);
  settle();
  CHECK_EQ(pthread_kill(target, SIGUSR1), 0);
  CHECK_EQ(handled, 1);
  join(target);
  return 0;
}
