// expect: passed
// The fixed twin of sem_misuse.c: every path posts.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t sem;
static int visits;

static void visit(long who) {
  sem_wait(&sem);
  ++visits;
  (void)who;
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
