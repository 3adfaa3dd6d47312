// expect: passed
// A handler that synchronises itself, in a thread that waits: the thread waits for the same thing
// as before.
#include <semaphore.h>
#include <signal.h>

#include "check.h"

static sem_t ready, go, handled;

static void on_signal(int number) {
  CHECK_EQ(number, SIGUSR1);
  CHECK_EQ(sem_post(&handled), 0);
}

static void* wait_for_go(void* argument) {
  CHECK_EQ(sem_post(&ready), 0);
  while (sem_wait(&go) != 0) CHECK_EQ(errno, EINTR);
  return argument;
}

int main(void) {
  CHECK_EQ(sem_init(&ready, 0, 0), 0);
  CHECK_EQ(sem_init(&go, 0, 0), 0);
  CHECK_EQ(sem_init(&handled, 0, 0), 0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);

  pthread_t waiter = start(wait_for_go, NULL);
  CHECK_EQ(sem_wait(&ready), 0);
  CHECK_EQ(pthread_kill(waiter, SIGUSR1), 0);
  CHECK_EQ(sem_wait(&handled), 0);
  CHECK_EQ(sem_post(&go), 0);
  join(waiter);
  return 0;
}
