// expect: passed
// Named semaphores: open, exclusive creation, two names for one, close, unlink.
#include <fcntl.h>
#include <semaphore.h>

#include "check.h"

static sem_t* shared;
static int sequence;

static void* second(void* argument) {
  sem_t* same = sem_open(argument, 0);
  CHECK(same != SEM_FAILED);
  CHECK(same == shared);  // one process, one address
  CHECK_EQ(sem_wait(same), 0);
  CHECK_EQ(sequence, 1);
  sequence = 2;
  CHECK_EQ(sem_close(same), 0);
  return NULL;
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/raddle-test-%d", (int)getpid());
  shared = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  CHECK(shared != SEM_FAILED);
  CHECK(sem_open(name, O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED);
  CHECK_EQ(errno, EEXIST);
  pthread_t thread = start(second, name);
  sched_yield();
  sequence = 1;
  CHECK_EQ(sem_post(shared), 0);
  join(thread);
  CHECK_EQ(sequence, 2);
  CHECK_ERRNO(sem_trywait(shared), EAGAIN);
  CHECK_EQ(sem_unlink(name), 0);
  CHECK_ERRNO(sem_unlink(name), ENOENT);
  CHECK(sem_open(name, 0) == SEM_FAILED);
  CHECK_EQ(errno, ENOENT);
  CHECK_EQ(sem_close(shared), 0);
  return 0;
}
