// expect: passed
// pause and sigsuspend wait for a handler; a signal to the process goes to a thread that takes it.
#include <signal.h>

#include "check.h"

static volatile sig_atomic_t handled;
static pthread_t handled_by, target;

static void on_signal(int number) {
  (void)number;
  handled_by = pthread_self();
  ++handled;
}

static void* in_sigsuspend(void* argument) {
  sigset_t none;
  sigemptyset(&none);
  CHECK_ERRNO(sigsuspend(&none), EINTR);
  return argument;
}

static void* in_pause(void* argument) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  CHECK_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
  CHECK_ERRNO(pause(), EINTR);
  return argument;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  CHECK_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);  // the threads inherit it

  target = start(in_sigsuspend, NULL);
  settle();
  CHECK_EQ(pthread_kill(target, SIGUSR1), 0);
  join(target);
  CHECK_EQ(handled, 1);
  CHECK(pthread_equal(handled_by, target));

  target = start(in_pause, NULL);
  settle();
  CHECK_EQ(kill(getpid(), SIGUSR1), 0);  // main blocks it: only the other thread can take it
  join(target);
  CHECK_EQ(handled, 2);
  CHECK(pthread_equal(handled_by, target));
  return 0;
}
