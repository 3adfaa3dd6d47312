// The pool's end posts once for all of its workers.
// cause: too-few-posts
// object: items
// says: waits for one more
#include <semaphore.h>

#include <atomic>
#include <thread>

sem_t items;
std::atomic<bool> ends{false};

void work() {
  do sem_wait(&items);  // [last]
  while (!ends);
}

int main() {
  sem_init(&items, 0, 0);
  std::thread one(work);
  std::thread two(work);
  ends = true;
#ifdef FIXED
  sem_post(&items);
#endif
  sem_post(&items);  // [first]
  one.join();
  two.join();
}
