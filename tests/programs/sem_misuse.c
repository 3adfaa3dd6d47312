// expect: passed|deadlock
// One path out of the critical section forgets to post, and the next thread waits for ever. Who
// came first decides which path a thread takes. See sem_misuse_fixed.c.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t sem;
static int visits;

static void visit(long who) {
  sem_wait(&sem);
  if (++visits == 1 && who == 1) return;
  sem_post(&sem);
}

static void* body(void* who) {
  visit((long)who);
  return NULL;
}

int main(void) {
  sem_init(&sem, 0, 1);
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, body, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
