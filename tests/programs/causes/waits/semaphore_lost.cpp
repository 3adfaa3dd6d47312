// The producer posts only if it sees somebody waiting; the consumer says so too late.
// cause: lost-wakeup
// object: items
// also: -O0
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <thread>

sem_t items;
std::atomic<int> waiting{0};
std::atomic<int> stored{0};

void produce() {
  ++stored;  // [first]
#ifdef FIXED
  sem_post(&items);
#else
  if (waiting > 0) sem_post(&items);
#endif
}

void consume() {
#ifdef FIXED
  sem_wait(&items);
#else
  if (stored == 0) {
    ++waiting;
    sem_wait(&items);  // [last]
  }
#endif
}

int main() {
  sem_init(&items, 0, 0);
  std::thread producer(produce);
  consume();
  producer.join();
  sem_destroy(&items);
}
