// expect: passed
// sigwait, sigwaitinfo and sigtimedwait, with signals sent to the process and to the thread.
#include <signal.h>

#include "check.h"

static sigset_t set;
static int got_usr1, got_usr2;

static void* wait_two(void* argument) {
  for (int i = 0; i < 2; ++i) {
    int number = 0;
    CHECK_EQ(sigwait(&set, &number), 0);
    if (number == SIGUSR1) ++got_usr1;
    if (number == SIGUSR2) ++got_usr2;
  }
  return argument;
}

static void* wait_info(void* argument) {
  siginfo_t info;
  CHECK_EQ(sigwaitinfo(&set, &info), SIGUSR1);
  CHECK_EQ(info.si_signo, SIGUSR1);
  CHECK_EQ(info.si_pid, getpid());
  struct timespec minute = {60, 0};
  CHECK_EQ(sigtimedwait(&set, &info, &minute), SIGUSR2);
  CHECK_EQ(info.si_signo, SIGUSR2);
  return argument;
}

static void* send_both(void* argument) {
  CHECK_EQ(kill(getpid(), SIGUSR2), 0);
  CHECK_EQ(pthread_kill(*(pthread_t*)argument, SIGUSR1), 0);
  return NULL;
}

int main(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  CHECK_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);

  pthread_t waiter = start(wait_two, NULL);
  pthread_t sender = start(send_both, &waiter);
  join(sender);
  join(waiter);
  CHECK_EQ(got_usr1, 1);
  CHECK_EQ(got_usr2, 1);

  waiter = start(wait_info, NULL);
  CHECK_EQ(pthread_kill(waiter, SIGUSR1), 0);
  settle();
  CHECK_EQ(kill(getpid(), SIGUSR2), 0);
  join(waiter);

  struct timespec soon = {0, 30 * 1000000}, before = time_on(CLOCK_MONOTONIC);
  CHECK_ERRNO(sigtimedwait(&set, NULL, &soon), EAGAIN);
  CHECK(ms_between(before, time_on(CLOCK_MONOTONIC)) >= 30);
  struct timespec bad = {0, 1000000000};
  CHECK_ERRNO(sigtimedwait(&set, NULL, &bad), EINVAL);
  CHECK_EQ(raise(SIGUSR1), 0);
  struct timespec none = {0, 0};
  CHECK_EQ(sigtimedwait(&set, NULL, &none), SIGUSR1);
  return 0;
}
