// what: a semaphore is made before the thread that uses it
// broken: the thread is there first, and may post before the semaphore is made
#include <pthread.h>
#include <semaphore.h>

sem_t done;

void* work(void* argument) {
  sem_post(&done);
  return argument;
}

int main() {
  pthread_t worker;
#ifndef BROKEN
  sem_init(&done, 0, 0);
#endif
  pthread_create(&worker, nullptr, work, nullptr);
#ifdef BROKEN
  sem_init(&done, 0, 0);
#endif
  sem_wait(&done);
  pthread_join(worker, nullptr);
  sem_destroy(&done);
}
