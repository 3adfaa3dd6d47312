// expect: passed
// Detached threads: by call, by attribute, by themselves; joining one is EINVAL.
#include <semaphore.h>

#include "check.h"

static sem_t done, go;

static void* work(void* argument) {
  CHECK_EQ(sem_wait(&go), 0);
  CHECK_EQ(sem_post(&done), 0);
  return argument;
}

static void* detach_self(void* argument) {
  CHECK_EQ(pthread_detach(pthread_self()), 0);
  CHECK_EQ(pthread_detach(pthread_self()), EINVAL);
  CHECK_EQ(sem_post(&done), 0);
  return argument;
}

int main(void) {
  CHECK_EQ(sem_init(&done, 0, 0), 0);
  CHECK_EQ(sem_init(&go, 0, 0), 0);

  pthread_t by_call = start(work, NULL);
  CHECK_EQ(pthread_detach(by_call), 0);
  CHECK_EQ(pthread_detach(by_call), EINVAL);
  CHECK_EQ(pthread_join(by_call, NULL), EINVAL);

  pthread_attr_t attributes;
  CHECK_EQ(pthread_attr_init(&attributes), 0);
  CHECK_EQ(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED), 0);
  pthread_t by_attribute;
  CHECK_EQ(pthread_create(&by_attribute, &attributes, work, NULL), 0);
  CHECK_EQ(pthread_join(by_attribute, NULL), EINVAL);

  start(detach_self, NULL);
  CHECK_EQ(sem_wait(&done), 0);
  CHECK_EQ(sem_post(&go), 0);
  CHECK_EQ(sem_post(&go), 0);
  CHECK_EQ(sem_wait(&done), 0);
  CHECK_EQ(sem_wait(&done), 0);
  return 0;
}
