// Both functions count without a lock, and one of them waits for the other: they cannot exclude
// each other.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static int count;
static sem_t counted;

static void produce() {
  count = count + 1;
  sem_post(&counted);
}

static void consume() {
  count = count + 1;
  sem_wait(&counted);
}

static void* producer(void*) {
  produce();
  return nullptr;
}

int main() {
  sem_init(&counted, 0, 0);
  pthread_t thread;
  pthread_create(&thread, nullptr, producer, nullptr);
  consume();
  pthread_join(thread, nullptr);
  assert(count == 2);
}
